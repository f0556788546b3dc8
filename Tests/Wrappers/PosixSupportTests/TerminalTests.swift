import Glibc
import PosixSupport
import Testing

/// The columns of real terminals are in the system tests.
@Suite struct TerminalTests {
    @Test func `What is not a terminal has no columns`() {
        let null = unsafe open("/dev/null", O_WRONLY)
        #expect(null >= 0 && Terminal.columns(of: null) == nil)
        close(null)
        #expect(Terminal.columns(of: -1) == nil)
    }
}
