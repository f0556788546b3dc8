import Glibc

/// How much a run of the tests covers: what a change needs, or everything.
///
/// `make test` sets `CAPRIG_TESTS=quick`. `make check`, and a run of single tests by hand, leave it unset and cover everything.
public enum TestExtent {
    /// Whether tests that compute for long take fewer samples, and those that measure time are left out.
    public static let isQuick = unsafe getenv("CAPRIG_TESTS").map { unsafe String(cString: $0) } == "quick"

    /// The cases of a test that computes for long: all of them, or in a quick run some that are spread evenly over them.
    public static func some<Cases: RandomAccessCollection>(_ count: Int, of all: Cases) -> [Cases.Element] {
        guard isQuick, all.count > count else { return Array(all) }
        return (0..<count).map { all[all.index(all.startIndex, offsetBy: $0 * all.count / count)] }
    }
}
