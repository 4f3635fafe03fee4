// The file as h5py sees it, with nothing but h5py.File(path, 'r').
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "results_support.hpp"

namespace clack::test {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

constexpr const char* kCheckScript = R"(
import sys, time, h5py, numpy as np

def check(path):
    with h5py.File(path, 'r') as f:
        n = len(f['time'])
        k = np.arange(n)
        assert np.array_equal(f['time'][:n], 0.125 * k)
        assert np.array_equal(f['q'][:n], k[:, None] + 0.01 * np.arange(7)), 'q'
        assert np.array_equal(f['v'][:n], -3.0 * k[:, None] - np.arange(6)), 'v'
        assert np.array_equal(f['energy/numerical'][:n], 8.0 * k + 7), 'energy'
        assert np.array_equal(f['solver/iterations'][:n], k + 1), 'solver'
        offset = f['contacts/offset'][:n + 1]
        assert np.array_equal(np.diff(offset), k % 4), 'offset'
        total = offset[-1]
        for name in ['id', 'body_a', 'body_b', 'gap', 'point', 'normal', 'r', 'u', 'status']:
            assert len(f['contacts'][name]) >= total, name
        assert np.array_equal(f['contacts/body_a'][:total], np.repeat(k, k % 4)), 'body_a'
        assert f['contacts/r'].shape[1] == 3
        assert f.attrs['scene'] == '\u00b5: 0.3\n' and f.attrs['empty'] == ''
        assert list(f['bodies/name'].asstr()) == ['floor', 'ball']
        return n

path, mode = sys.argv[1], sys.argv[2]
if mode == 'once':
    n = check(path)
    assert n == int(sys.argv[3]), n
else:
    seen = set()
    end = time.time() + float(sys.argv[3])
    while time.time() < end:
        seen.add(check(path))
    print(len(seen))
)";

class H5py : public testing::Test {
 protected:
  void SetUp() override {
    const std::string probe = fmt::format("{} -c 'import h5py, numpy' 2>/dev/null", kPython);
    if (std::system(probe.c_str()) != 0) GTEST_SKIP() << kPython << " has no h5py";
    std::ofstream(script_) << kCheckScript;
  }

  std::string command(const std::string& arguments) const {
    return fmt::format("{} {} {} {}", kPython, script_, path_, arguments);
  }

  Folder directory_;
  std::string script_ = directory_.file("check.py");
  std::string path_ = directory_.file("results.h5");
};

TEST_F(H5py, ReadsExactlyTheRowsOfEveryPublish) {
  ResultsWriter writer(path_, test_header(4), {3600});
  std::int64_t written = 0;
  for (const std::int64_t rows : {0, 1, 4, 5, 6, 40, 1000}) {
    write_test_rows(writer, written, rows);
    writer.publish();
    written = rows;
    ASSERT_EQ(std::system(command("once " + std::to_string(rows)).c_str()), 0) << rows;
  }
  writer.finish();
  EXPECT_EQ(std::system(command("once 1000").c_str()), 0);
}

TEST_F(H5py, ReadsAFileThatIsBeingWritten) {
  ResultsWriter writer(path_, test_header(4), {0});
  FILE* reader = popen(command("repeat 2").c_str(), "r");
  ASSERT_NE(reader, nullptr);
  pollfd waiting{fileno(reader), POLLIN, 0};
  for (std::int64_t k = 0; poll(&waiting, 1, 0) == 0; ++k) {
    write_test_rows(writer, k, k + 1);
    if (k % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int distinct = 0;
  EXPECT_EQ(std::fscanf(reader, "%d", &distinct), 1);
  EXPECT_EQ(pclose(reader), 0);
  EXPECT_GT(distinct, 10) << "the reader hardly ran beside the writer";
}

}  // namespace
}  // namespace clack::test
