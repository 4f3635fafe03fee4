#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "results_support.hpp"

namespace clack::test {
namespace {

constexpr ResultsWriterOptions kNeverPublish{3600};  // [s]: only on request

TEST(ResultsWriter, RoundTripReturnsEveryValue) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsWriter writer(path, test_header(500));
  write_test_rows(writer, 0, 500);
  writer.finish();
  const ResultsReader reader(path);
  EXPECT_EQ(reader.rows(), 500);
  expect_test_rows(reader);
}

TEST(ResultsWriter, HeaderIsReadBackUnchanged) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsHeader header = test_header(1);
  header.attributes["options"] = std::string(200000, 'x');  // more than an object header can hold
  header.extra = {{"/model/gravity", std::vector<double>{0, 0, -9.81}}};
  ResultsWriter(path, header).finish();
  const ResultsReader reader(path);
  auto attributes = reader.attributes();
  EXPECT_EQ(attributes.at("format"), "clack results 1");
  attributes.erase("format");
  EXPECT_EQ(attributes, header.attributes);
  EXPECT_EQ(reader.q_names(), header.q_names);
  EXPECT_EQ(reader.v_names(), header.v_names);
  EXPECT_EQ(reader.contact_names(), header.contact_names);
  EXPECT_EQ(reader.matrix("/model/gravity")(2, 0), -9.81);
  ASSERT_EQ(reader.bodies().size(), 2U);
  EXPECT_EQ(reader.bodies()[1].name, "ball");
  EXPECT_EQ(reader.bodies()[1].shape, "sphere");
  EXPECT_EQ(reader.bodies()[1].q_range, header.bodies[1].q_range);
  EXPECT_EQ(reader.bodies()[1].v_range, header.bodies[1].v_range);
}

TEST(ResultsWriter, FileIsReadableBeforeTheFirstRow) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  const ResultsWriter writer(path, test_header(10));
  const ResultsReader reader(path);
  EXPECT_EQ(reader.rows(), 0);
  expect_test_rows(reader);
  EXPECT_EQ(reader.contacts().offset, std::vector<std::int64_t>{0});
}

TEST(ResultsWriter, EmptyFinishedFileIsReadable) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsHeader header;  // no coordinates, no bodies, no names
  ResultsWriter(path, header).finish();
  const ResultsReader reader(path);
  EXPECT_EQ(reader.rows(), 0);
  EXPECT_EQ(reader.q().size(), 0);
  EXPECT_TRUE(reader.bodies().empty());
  EXPECT_EQ(reader.contacts().r.rows(), 0);
}

TEST(ResultsWriter, ModelWithoutCoordinatesKeepsItsTimes) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsWriter writer(path, ResultsHeader{});
  for (int k = 0; k < 3; ++k) writer.append({time_of(k)});
  writer.finish();
  const ResultsReader reader(path);
  EXPECT_EQ(reader.time(), (std::vector<double>{time_of(0), time_of(1), time_of(2)}));
  EXPECT_EQ(reader.q().rows(), 3);
  EXPECT_EQ(reader.q().cols(), 0);
}

TEST(ResultsWriter, GrowsTenfoldBeyondTheExpectedRows) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsWriter writer(path, test_header(300));
  write_test_rows(writer, 0, 3000);
  writer.publish();
  const ResultsReader live(path);
  EXPECT_EQ(live.rows(), 3000);
  expect_test_rows(live);
  writer.finish();
  const ResultsReader finished(path);
  EXPECT_EQ(finished.rows(), 3000);
  expect_test_rows(finished);
}

TEST(ResultsWriter, EveryPublishIsSeenByAnHdf5Reader) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsWriter writer(path, test_header(2), kNeverPublish);
  for (std::int64_t n = 0; n < 40; ++n) {
    EXPECT_EQ(ResultsReader(path).rows(), n);
    write_test_rows(writer, n, n + 1);
    EXPECT_EQ(ResultsReader(path).rows(), n) << "a row was seen before it was published";
    writer.publish();
    const ResultsReader reader(path);
    ASSERT_EQ(reader.rows(), n + 1);
    expect_test_rows(reader);
  }
}

TEST(ResultsWriter, ReaderOpenedEarlierKeepsItsViewWhileTheFileGrows) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsWriter writer(path, test_header(8));
  write_test_rows(writer, 0, 5);
  writer.publish();
  const ResultsReader before(path);
  write_test_rows(writer, 5, 5000);
  writer.finish();
  EXPECT_EQ(before.rows(), 5);
  expect_test_rows(before);
}

TEST(ResultsWriter, PublishesByTheClockWithoutBeingAsked) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsWriter writer(path, test_header(100), {0.02});
  write_test_rows(writer, 0, 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  write_test_rows(writer, 3, 4);
  EXPECT_EQ(writer.published_rows(), 4);
  EXPECT_EQ(ResultsReader(path).rows(), 4);
}

TEST(ResultsWriter, DestructorPublishesWhatIsBuffered) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  {
    ResultsWriter writer(path, test_header(100), kNeverPublish);
    write_test_rows(writer, 0, 30);
  }
  const ResultsReader reader(path);
  EXPECT_EQ(reader.rows(), 30);
  expect_test_rows(reader);
}

void write_file(const std::string& path, std::int64_t rows, const ResultsWriterOptions& options) {
  ResultsHeader header = test_header(256);
  header.expected_contacts = 6200;  // fits the longest run, whose file is then left untrimmed
  ResultsWriter writer(path, header, options);
  write_test_rows(writer, 0, rows);
  writer.finish();
}

// Publication follows the clock, so the two runs are made to publish at different rows.
TEST(ResultsWriter, IdenticalRunsGiveIdenticalBytes) {
  const Folder directory;
  const std::vector<std::int64_t> lengths = {100, 257, 3000, 4100};
  const auto file = [&](const char* run, std::int64_t rows) {
    return directory.file(run + std::to_string(rows));
  };
  for (const auto rows : lengths) write_file(file("first", rows), rows, kNeverPublish);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 stamps whole seconds
  for (const auto rows : lengths) write_file(file("second", rows), rows, {0});
  for (const auto rows : lengths) {
    EXPECT_TRUE(read_text(file("first", rows)) == read_text(file("second", rows))) << rows;
  }
}

TEST(ResultsWriter, FinishedFileHasNoRoomToSpare) {
  const Folder directory;
  const std::string generous = directory.file("generous.h5");
  const std::string exact = directory.file("exact.h5");
  for (const auto& [path, expected] : {std::pair{generous, 100000}, std::pair{exact, 200}}) {
    ResultsWriter writer(path, test_header(expected));
    write_test_rows(writer, 0, 200);
    writer.finish();
  }
  EXPECT_EQ(std::filesystem::file_size(generous), std::filesystem::file_size(exact));
  EXPECT_FALSE(std::filesystem::exists(generous + ".tmp"));
}

TEST(ResultsWriter, HugeExpectationIsOnlyAGuess) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsWriter writer(path, test_header(std::int64_t{1} << 60));
  write_test_rows(writer, 0, 10);
  writer.finish();
  expect_test_rows(ResultsReader(path));
}

TEST(ResultsWriter, RowOfAnotherSizeIsRefusedAndNothingOfItIsKept) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  ResultsWriter writer(path, test_header(10));
  TestRow row;
  ResultRow bad = row.at(0);
  bad.q = bad.q.first(3);
  EXPECT_THROW(writer.append(bad), InputError);
  write_test_rows(writer, 0, 10);
  writer.finish();
  const ResultsReader reader(path);
  EXPECT_EQ(reader.rows(), 10);
  expect_test_rows(reader);
}

TEST(ResultsWriter, ContradictoryHeaderIsRefused) {
  const Folder directory;
  const auto refused = [&](auto change) {
    ResultsHeader header = test_header(1);
    change(header);
    EXPECT_THROW(ResultsWriter(directory.file("results.h5"), header), InputError);
  };
  refused([](ResultsHeader& header) { header.local_dim = kMaxLocalDim + 1; });
  refused([](ResultsHeader& header) { header.nq = -1; });
  refused([](ResultsHeader& header) { header.q_names.pop_back(); });
  EXPECT_THROW(ResultsWriter(directory.file("results.h5"), test_header(1), {-1}), InputError);
}

TEST(ResultsWriter, RowAfterFinishIsRefused) {
  const Folder directory;
  ResultsWriter writer(directory.file("results.h5"), test_header(1));
  writer.finish();
  writer.finish();
  EXPECT_THROW(write_test_rows(writer, 0, 1), IoError);
}

}  // namespace
}  // namespace clack::test
