// Files that nobody writes by hand: refused quickly, with a place, without a crash.
#include <sys/stat.h>

#include "program.hpp"

namespace clack::test {
namespace {

std::string repeat(const std::string& text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

void expect_refused(const std::string& text, const std::string& words) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", text);
  const Outcome outcome = run_clack({"run", scene, "-o", folder.file("out")});
  EXPECT_EQ(outcome.status, 2) << outcome.err.substr(0, 2000);
  EXPECT_TRUE(outcome.err.starts_with(scene + ":")) << outcome.err.substr(0, 2000);
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err.substr(0, 2000);
  EXPECT_LE(lines_of(outcome.err).size(), 51u);
  EXPECT_FALSE(std::filesystem::exists(folder.file("out")));
}

TEST(HostileFile, OfAHundredMegabytesOfBracketsIsRefused) {
  expect_refused(std::string(100'000'000, '['), ":1:1: the scene is longer than 16 MB");
}

TEST(HostileFile, OfSixtyMegabytesOfNestedMapsIsRefused) {
  expect_refused(repeat("{a: ", 15'000'000), "longer than 16 MB");
}

TEST(HostileFile, OfAsManyBracketsAsAreReadIsRefused) {
  expect_refused(std::string(16'000'000, '['),
                 ":1:101: brackets are nested deeper than 100 levels");
  expect_refused(repeat("{a: ", 4'000'000), "brackets are nested deeper");
  expect_refused(repeat("[\n", 8'000'000), ":101:1: brackets are nested deeper");
  expect_refused("clack: 1\nsystem: " + repeat("{a: [", 100'000), ":2:");
}

TEST(HostileFile, WithAHundredThousandNestedListsByDashesIsRefused) {
  expect_refused(repeat("- ", 100'000), "nested too deeply");
}

TEST(HostileFile, WithMapsNestedByIndentationIsRefused) {
  std::string text;
  for (std::size_t i = 0; text.size() < 10'000'000; ++i) text += std::string(i, ' ') + "a:\n";
  expect_refused(text, "nested too deeply");
  expect_refused(repeat("? ", 100'000), "nested too deeply");
}

TEST(HostileFile, ThatMultipliesByAliasesIsRefused) {
  std::string text = "clack: 1\ntitle: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string name = "*a" + std::to_string(i - 1);
    text += "key" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeat(name + ", ", 9) +
            name + "]\n";
  }
  expect_refused(text + "system: *a29\n", "key1: unknown key");
  expect_refused(text + "system: {type: linear, M: *a29}\n", "unknown key");
}

TEST(HostileFile, OfRandomBytesIsRefused) {
  unsigned random = 1;
  for (int file = 0; file < 20; ++file) {
    std::string text;
    for (int i = 0; i < 2000; ++i) {
      random = random * 1103515245U + 12345U;
      text += static_cast<char>(random >> 16);
    }
    expect_refused(text, "byte 0x");
  }
}

TEST(HostileFile, WithAHugeMatrixOfTextStopsAtFiftyMessages) {
  std::string text = "clack: 1\nsystem:\n  type: linear\n  M:\n";
  const std::string row = "    - [" + repeat("a, ", 400) + "b]\n";
  expect_refused(text + repeat(row, 401), "50 errors; the rest was not read");
}

TEST(HostileFile, WithManyUnknownKeysStopsAtFiftyMessages) {
  std::string text = "clack: 1\n";
  for (int i = 0; i < 100'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  expect_refused(text, "50 errors; the rest was not read");
}

TEST(HostileFile, WithALongChainOfParametersIsReadInTime) {
  const Folder folder;
  std::string text = "parameters:\n";
  for (int i = 0; i < 20'000; ++i) {
    text += "  p" + std::to_string(i) + ": p" + std::to_string(i + 1) + " + 1\n";
  }
  text += "  p20000: 1\n";
  std::string scene = kBall;
  scene.replace(scene.find("parameters: {m: 1, g: 9.81}\n"), 28, text + "  m: 1\n  g: 9.81\n");
  const Outcome outcome = run_clack({"check", folder.write("scene.yaml", scene)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(HostileFile, WithALongFormulaOrADeepOneIsRefused) {
  const std::string head = "clack: 1\nparameters:\n  a: ";
  expect_refused(head + repeat("1+", 100'000) + "1\n", "longer than 100000 characters");
  expect_refused(head + repeat("(", 10'000) + "1" + repeat(")", 10'000) + "\n",
                 "nested deeper than 200 levels");
  expect_refused(head + repeat("2^", 10'000) + "1\n", "nested deeper than 200 levels");
}

TEST(HostileFile, WithALongKeyGivesAShortMessage) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kBall + std::string(1000, 'k') + ": 1\n");
  const Outcome outcome = run_clack({"check", scene});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_LT(outcome.err.size(), 500u) << outcome.err;
}

TEST(HostileFile, WithControlCharactersInTextsKeepsEachMessageOnItsLine) {
  const Folder folder;
  const std::string scene =
      folder.write("scene.yaml", kBall + "\"a\\nb\\e[31m\": 1\nsolver: {name: \"x\\ny\"}\n");
  const Outcome outcome = run_clack({"check", scene});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(lines_of(outcome.err).size(), 2u) << outcome.err;
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
}

// --- files that cannot be read: exit status 3 ---

void expect_unreadable(const Outcome& outcome, const std::string& words) {
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(UnreadableFile, ThatIsMissingIsNamed) {
  const Folder folder;
  const std::string scene = folder.file("nothing.yaml");
  expect_unreadable(run_clack({"check", scene}), scene + ": cannot be read: No such file");
  expect_unreadable(run_clack({"run", scene}), scene + ": cannot be read: No such file");
}

TEST(UnreadableFile, ThatIsAFolderIsNamed) {
  const Folder folder;
  expect_unreadable(run_clack({"check", folder.path()}), folder.path().string() + ": is a folder");
}

TEST(UnreadableFile, WithoutPermissionIsNamed) {
  const Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  const std::string scene = folder.write("scene.yaml", kBall);
  chmod(scene.c_str(), 0);
  const Outcome outcome = run_command({CLACK_PROGRAM, "check", scene}, kTimeLimit, geteuid() == 0);
  if (outcome.status == kNoProgram) GTEST_SKIP() << "the program is not open to other users";
  expect_unreadable(outcome, scene + ": cannot be read: Permission denied");
}

TEST(UnreadableFile, WithoutAnEndIsRefused) {
  const Outcome outcome = run_clack({"check", "/dev/zero"});
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("longer than 16 MB"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace clack::test
