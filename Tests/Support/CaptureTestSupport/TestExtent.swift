import Glibc

/// How much a run of the tests covers: what a change needs, or everything.
///
/// `make test` sets `CAPRIG_TESTS=quick`. `make check`, and a run of single tests by hand, leave it unset and cover everything. With
/// `CAPRIG_TESTS=long`, which is for single tests, those that watch something go on for as long as the thing that they stand for.
public enum TestExtent {
    private static let requested = unsafe getenv("CAPRIG_TESTS").map { unsafe String(cString: $0) }

    /// Whether tests that compute for long take fewer samples, and those that measure time are left out.
    public static let isQuick = requested == "quick"
    public static let isLong = requested == "long"

    /// The cases of a test that computes for long: all of them, or in a quick run some that are spread evenly over them.
    public static func some<Cases: RandomAccessCollection>(_ count: Int, of all: Cases) -> [Cases.Element] {
        guard isQuick, all.count > count else { return Array(all) }
        return (0..<count).map { all[all.index(all.startIndex, offsetBy: $0 * all.count / count)] }
    }
}
