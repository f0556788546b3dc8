/// The times and sizes a microphone's session keeps to.
public struct SoundPolicy: Hashable, Sendable {
    /// How much time the ring holds: at least the longest window, the lead of a shot and the wait for the window's end.
    public var ringDepth: Duration
    /// Bytes of samples the ring holds, at most.
    public var ringByteLimit: Int
    /// A stream that delivers nothing for so long is restarted.
    public var stallTimeout: Duration
    /// Waits between attempts to open the microphone: the first, doubled each time up to the last.
    public var firstRetry: Duration
    public var lastRetry: Duration
    /// A stream that has delivered for so long has no failures behind it any more.
    public var goodPeriod: Duration
    /// How long after a window's end its sound is waited for.
    public var patience: Duration

    public init(
        ringDepth: Duration = .seconds(15), ringByteLimit: Int = 16 << 20, stallTimeout: Duration = .seconds(2),
        firstRetry: Duration = .milliseconds(250), lastRetry: Duration = .seconds(5),
        goodPeriod: Duration = .seconds(10), patience: Duration = .seconds(1)
    ) {
        self.ringDepth = ringDepth
        self.ringByteLimit = ringByteLimit
        self.stallTimeout = stallTimeout
        self.firstRetry = firstRetry
        self.lastRetry = lastRetry
        self.goodPeriod = goodPeriod
        self.patience = patience
    }
}
