internal import CPosix

/// How the kernel keeps its wall clock (`adjtimex(2)`).
public struct WallClockState: Hashable, Sendable {
    /// Whether a program such as chrony keeps it in step with other clocks (`STA_UNSYNC` is not set).
    public var isSynchronized: Bool
    /// The largest error that this program has told the kernel, growing since then.
    public var maximumErrorMicroseconds: Int

    public init(isSynchronized: Bool, maximumErrorMicroseconds: Int) {
        self.isSynchronized = isSynchronized
        self.maximumErrorMicroseconds = maximumErrorMicroseconds
    }

    /// Asks the kernel. Does not block.
    public static func read() throws(PosixError) -> WallClockState {
        var (isSynchronized, error) = (false, 0)
        let result = unsafe caprig_clock_state(&isSynchronized, &error)
        guard result == 0 else { throw PosixError(code: -result, operation: "read", subject: "the state of the clock") }
        return WallClockState(isSynchronized: isSynchronized, maximumErrorMicroseconds: error)
    }
}
