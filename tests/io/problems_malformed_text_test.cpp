// Text files that are damaged or wrong: an InputError with one clear message, never anything else.
#include <sstream>

#include "clack/core/error.hpp"
#include "clack/io/problems/dat_reader.hpp"
#include "problems_support.hpp"

namespace clack::test {
namespace {

std::vector<std::string> small_texts() {
  const Folder directory;
  std::vector<std::string> texts;
  for (const auto& [name, problem] : common_problems()) {
    write_problem(directory.file("x.dat"), problem);
    texts.push_back(read_text(directory.file("x.dat")));
  }
  // Storages and kinds that are read but not written.
  texts.push_back(
      "2\n1\n2\n2\n2\n2\nCSparse Version 3.1.9, May 4, 2016.  Copyright\n"
      "2-by-2, nzmax: 3 nnz: 3, 1-norm: 5\n    col 0 : locations 0 to 1\n      0 : 4\n"
      "      1 : 1\n    col 1 : locations 2 to 2\n      1 : 3\n -1.0 0.5\n 0.3\n");
  texts.push_back(
      "1\n1\n1\n1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 0\n-1 1\n-1 1\n1\n1\n-1\n0\n-1\n1 0 1\n");
  texts.push_back("2\n0\n2\n2\n2 2\n1 1\n1 1\n-1 -1\n\nRemark: z_1 + z_2 = 1\n");
  return texts;
}

// True if it reads, false if it is refused as it should be. Anything else fails the test.
bool reads(const std::string& text) {
  const std::string path = "folder/x.dat";
  try {
    parse_dat(text, path).validate();
    return true;
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(path)) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), path.size() + 300) << message;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an InputError: " << error.what();
  }
  return false;
}

std::string message_for(const std::string& path, const std::string& text) {
  write_text(path, text);
  try {
    (void)read_problem(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

void expect_message(const std::string& text, const std::vector<std::string>& parts) {
  const Folder directory;
  const std::string path = directory.file("x.dat");
  const std::string message = message_for(path, text);
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
  }
}

TEST(MalformedText, TheUndamagedOnesRead) {
  for (const std::string& text : small_texts()) EXPECT_TRUE(reads(text));
}

TEST(MalformedText, TruncationAtEveryByteIsRefused) {
  int refused = 0;
  int tried = 0;
  for (const std::string& text : small_texts()) {
    for (std::size_t size = 0; size < text.size(); ++size, ++tried) {
      if (!reads(text.substr(0, size))) ++refused;
    }
  }
  // A cut within the last number leaves a number, one behind it only blanks.
  EXPECT_GE(refused, tried * 97 / 100);
}

TEST(MalformedText, EveryTokenReplacedByEveryWrongOneIsRefusedOrRead) {
  const std::vector<std::string> wrong{"nan",
                                       "-nan",
                                       "inf",
                                       "-inf",
                                       "-1",
                                       "1e12",
                                       "1000000000000",
                                       "99999999999999999999999",
                                       "2147483647",
                                       "-2147483648",
                                       "text",
                                       "1.5.2",
                                       "1e999",
                                       "0x10",
                                       ":",
                                       "CSparse",
                                       "0",
                                       "7",
                                       ""};
  int tried = 0;
  int refused_numbers = 0;
  for (const std::string& text : small_texts()) {
    std::istringstream words(text);
    std::string word;
    while (words >> word) {
      const auto end = words.eof() ? text.size() : static_cast<std::size_t>(words.tellg());
      for (const std::string& token : wrong) {
        std::string damaged = text;
        damaged.replace(end - word.size(), word.size(), token);
        const bool good = reads(damaged);
        ++tried;
        if (!good && token == "nan") ++refused_numbers;
      }
    }
  }
  EXPECT_GE(tried, 5000);
  EXPECT_GE(refused_numbers, 300);
}

TEST(MalformedText, NanAndInfiniteNumbersAreNeverRead) {
  const Folder directory;
  for (const auto& [name, problem] : common_problems()) {
    write_problem(directory.file("x.dat"), problem);
    const std::string text = read_text(directory.file("x.dat"));
    for (std::size_t e = text.find("e+"); e != std::string::npos; e = text.find("e+", e + 1)) {
      const std::size_t begin = text.rfind(' ', e) == std::string::npos
                                    ? 0
                                    : std::max(text.rfind(' ', e), text.rfind('\n', e)) + 1;
      for (const char* token : {"nan", "inf", "-inf", "NaN", "1e400"}) {
        std::string damaged = text;
        damaged.replace(begin, text.find_first_of(" \n", e) - begin, token);
        EXPECT_FALSE(reads(damaged)) << name << " " << token;
      }
    }
  }
}

TEST(MalformedText, RandomGarbageIsRefused) {
  std::mt19937 random(1);
  for (int k = 0; k < 300; ++k) {
    std::string text(1 + random() % 400, ' ');
    const bool printable = k % 2 == 0;
    for (char& c : text) {
      c = printable ? "0123456789 \n.-e:"[random() % 16] : static_cast<char>(random() % 256);
    }
    reads(text);
  }
}

TEST(MalformedText, MessagesNameFileLineValueAndWhatIsAllowed) {
  const std::string head = "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n";
  expect_message(head + "-1 0 0\n-0.5\n", {"x.dat:11:", "mu of contact 0 is -0.5", ">= 0"});
  expect_message(head + "-1 0 nan\n0.5\n", {"x.dat:10:", "q is nan", "finite"});
  expect_message(head + "-1 0 zero\n0.5\n", {"x.dat:10:", "'zero' is not a number", "q"});
  expect_message(head + "-1 0 0\n", {"the file ends where mu is expected"});
  expect_message(head + "-1 0 0\n0.5 7 7\n", {"x.dat:11:", "'7' stands where the file should end"});
  expect_message("3\n1000000000000\n0\n3\n3\n3 3\n",
                 {"x.dat:2:", "number of contacts is 1000000000000", "allowed here is 0 to"});
  expect_message("3\n1\n0\n4\n3\n3 3\n1 0 0\n",
                 {"x.dat:5:", "number of columns of M is 3", "must be 4"});
  expect_message(
      "1\n0\n1\n2\n0 1 3\n0 1\n0\n4\n3\n4 3\n",
      {"number of rows of M is 4", "must be 3, one per equality (1) and per complementarity (2)"});
  expect_message("4\n1\n0\n4\n4\n", {"x.dat:"});
  expect_message("", {"x.dat: the file is empty"});
  expect_message(" \n\t\n", {"x.dat: the file is empty"});
  expect_message(std::string("\0\1\2\3\377", 5), {"x.dat: neither an HDF5 file nor text"});
  expect_message("# A heading\n\nand words\n", {"x.dat:1:", "'#'"});
}

TEST(MalformedText, BlockStructureIsChecked) {
  const std::string blocks = "2\n2\n1\n4\n4\n2\n2\n2\n2 4\n2 4\n3\n2\n0 1 2\n0 1\n";
  const std::string rest = "0\n1 0 0 1\n1\n1 0 0 1\n0 0 0 0\n0.1 0.1\n";
  EXPECT_TRUE(reads(blocks + rest));
  const auto damage = [&](const std::string& from, const std::string& to) {
    std::string text = blocks + rest;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  expect_message(damage("0 1 2\n", "0 9 2\n"), {"row pointer of W is 9", "0 to 2"});
  expect_message(damage("0 1 2\n", "1 1 2\n"), {"row pointer of W is 1", "must be 0"});
  expect_message(damage("0 1 2\n", "0 1 1\n"), {"row pointer", "number of blocks, 2"});
  expect_message(damage("\n0 1\n", "\n0 2\n"), {"block column of W is 2", "0 to 1"});
  expect_message(damage("\n0 1\n", "\n0 -1\n"), {"block column of W is -1"});
  expect_message(damage("\n2 4\n", "\n2 5\n"), {"row ends of W is 5", "2 to 4"});
  expect_message(damage("\n2 4\n", "\n2 3\n"), {"last row ends of W is 3", "must be 4"});
  expect_message(damage("\n1\n1 0", "\n5\n1 0"), {"block's number of W is 5", "must be 1"});
}

TEST(MalformedText, FilesThatAreNotThereAreIoErrors) {
  const Folder directory;
  EXPECT_THROW((void)read_problem(directory.file("none.dat")), IoError);
  EXPECT_THROW((void)read_problem(directory.file("none/none.hdf5")), IoError);
  EXPECT_THROW((void)read_problem(directory.path().string()), InputError);
  EXPECT_THROW((void)read_problem("/dev/zero"), InputError);
}

}  // namespace
}  // namespace clack::test
