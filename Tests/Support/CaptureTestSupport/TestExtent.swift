import Glibc

/// How much a run of the tests covers: what a change needs, or everything.
///
/// `make test` sets `CAPRIG_TESTS=quick`. `make check`, and a run of single tests by hand, leave it unset and cover everything.
public enum TestExtent {
    /// Whether tests that compute for long take fewer samples, and those that measure time are left out.
    public static let isQuick = unsafe getenv("CAPRIG_TESTS").map { unsafe String(cString: $0) } == "quick"

    /// The number of samples of a test that computes for long.
    public static func samples(quick: Int, all: Int) -> Int { isQuick ? quick : all }
}
