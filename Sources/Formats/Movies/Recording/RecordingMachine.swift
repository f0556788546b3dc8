/// The decisions of a recording about each frame: pure, without files or clocks. Times are presentation times.
///
/// | state | event | actions | next state |
/// |---|---|---|---|
/// | waiting | frame | open the first file, write | recording |
/// | waiting | sound | none: there is no file yet | waiting |
/// | waiting | stop | end `stopped` | ended |
/// | recording | frame within all limits | write | recording |
/// | | frame, and the fragment is full | flush; sync if it is due; examine the free space; write | recording |
/// | | frame, the file is full, and another one is allowed | close it, open the next, write | recording |
/// | | frame beyond the recording's limit | close, end `durationLimit` or `sizeLimit`; the frame is not written | ended |
/// | | sound within all limits | write | recording |
/// | | sound that is a fragment's length ahead of the frames, and the fragment is full | flush the sound; then as for a frame | recording |
/// | | sound beyond the size limit, or a fragment beyond the duration limit | close, end `sizeLimit`, `durationLimit`; no write | ended |
/// | | free space below the reserve | close, end `diskNearlyFull` | ended |
/// | | stop | close, end `stopped` | ended |
/// | any | failure | abandon the file, end `failed`, also if closing it has failed | ended |
/// | ended | any other | none | ended |
struct RecordingMachine {
    enum Event {
        /// A frame arrives, which is later than the one before.
        case frame(time: Int64, byteCount: Int)
        /// Sound arrives, up to this presentation time.
        case sound(until: Int64, byteCount: Int)
        /// The number of free bytes on the disk.
        case space(Int64)
        case stop
        /// A file could not be written.
        case failure
    }

    enum Action: Hashable {
        /// Begin the file of this number, from 1. Its times count from `start`.
        case open(segment: Int, start: Int64)
        /// Write the frame or sound.
        case write
        /// End the fragment.
        case flush
        /// End the fragment without the frame whose duration is not known yet.
        case flushSound
        /// Make the written data durable.
        case sync
        /// Query the free space of the disk, and report it.
        case examineSpace
        /// End the file.
        case close
        /// Leave the file unchanged.
        case abandon
        case end(RecordingEnd)
    }

    struct Segment: Hashable {
        var number: Int
        var start: Int64
        var byteCount: Int64 = 0
        var lastFlush: Int64
        var lastSync: Int64
        var lastFrame: Int64
    }

    enum State: Hashable {
        case waiting
        case recording(Segment)
        case ended(RecordingEnd)
    }

    private(set) var state = State.waiting
    private let limits: RecordingLimits
    private var byteCount: Int64 = 0

    init(_ limits: RecordingLimits) {
        self.limits = limits
    }

    mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (_, .failure): return [.abandon] + end(.failed)
        case (.ended, _), (.waiting, .sound), (.waiting, .space): return []
        case (.waiting, .frame(let time, let count)): return open(1, start: 0, time, Int64(count))
        case (.waiting, .stop): return end(.stopped)
        case (.recording(let segment), .frame(let time, let count)): return write(segment, time, Int64(count))
        case (.recording(let segment), .sound(let time, let count)): return hear(segment, time, Int64(count))
        case (.recording, .space(let free)):
            return free < limits.freeByteCount ? [.close] + end(.diskNearlyFull) : []
        case (.recording, .stop): return [.close] + end(.stopped)
        }
    }

    private mutating func end(_ reason: RecordingEnd) -> [Action] {
        state = .ended(reason)
        return [.end(reason)]
    }

    /// Opens a file. The first file's times count from the recording's start, so that all cameras agree. Each further
    /// one begins with a frame.
    private mutating func open(_ number: Int, start: Int64, _ time: Int64, _ count: Int64) -> [Action] {
        byteCount += count
        state = .recording(
            Segment(
                number: number, start: start, byteCount: count, lastFlush: start, lastSync: start, lastFrame: time))
        return [.open(segment: number, start: start), .write]
    }

    private mutating func write(_ segment: Segment, _ time: Int64, _ count: Int64) -> [Action] {
        if let limit = limits.maximumDuration, time >= limit { return [.close] + end(.durationLimit) }
        if let limit = limits.maximumByteCount, byteCount + count > limit { return [.close] + end(.sizeLimit) }
        // By the recording's time, so that the files of all cameras end at the same instants.
        let isOld = limits.segmentDuration.map { time / max($0, 1) > segment.start / max($0, 1) } ?? false
        let isFull = limits.segmentByteCount.map { segment.byteCount + count > $0 } ?? false
        if isOld || isFull, segment.number < limits.segmentCount {
            return [.close] + open(segment.number + 1, start: time, time, count)
        }
        var segment = segment
        segment.lastFrame = time
        return endFragment(of: &segment, at: time, by: .flush) + write(segment, count)
    }

    /// Handles sound. While no frames arrive, sound drives the time, because a fragment is in memory until it ends.
    private mutating func hear(_ segment: Segment, _ time: Int64, _ count: Int64) -> [Action] {
        if let limit = limits.maximumByteCount, byteCount + count > limit { return [.close] + end(.sizeLimit) }
        guard time - segment.lastFrame >= limits.fragmentDuration else { return write(segment, count) }
        if let limit = limits.maximumDuration, time - limit >= limits.fragmentDuration {
            return [.close] + end(.durationLimit)
        }
        var segment = segment
        return endFragment(of: &segment, at: time, by: .flushSound) + write(segment, count)
    }

    private func endFragment(of segment: inout Segment, at time: Int64, by flush: Action) -> [Action] {
        guard time - segment.lastFlush >= limits.fragmentDuration else { return [] }
        segment.lastFlush = time
        guard time - segment.lastSync >= limits.syncInterval else { return [flush, .examineSpace] }
        segment.lastSync = time
        return [flush, .sync, .examineSpace]
    }

    private mutating func write(_ segment: Segment, _ count: Int64) -> [Action] {
        var segment = segment
        segment.byteCount += count
        byteCount += count
        state = .recording(segment)
        return [.write]
    }
}

/// Why a recording has ended.
public enum RecordingEnd: String, Hashable, Sendable, CaseIterable {
    /// It was stopped.
    case stopped
    /// It has reached its duration limit.
    case durationLimit
    /// It has reached its size limit.
    case sizeLimit
    /// The disk has less free space than the reserve.
    case diskNearlyFull
    /// A file could not be written. What was flushed before exists.
    case failed
}

/// When a recording changes to another file, when it ends automatically, and how much of it a crash may remove.
public struct RecordingLimits: Hashable, Sendable {
    /// The longest duration of the complete recording, in 1/90 000 s.
    public var maximumDuration: Int64?
    /// The most bytes of all pictures and sound.
    public var maximumByteCount: Int64?
    /// Each file ends at a multiple of this in the recording's time, in 1/90 000 s.
    public var segmentDuration: Int64?
    /// The most bytes of pictures and sound in one file.
    public var segmentByteCount: Int64?
    /// The most files. The last one is not ended by these limits.
    public var segmentCount: Int
    /// Bytes to keep free on the disk, checked at each fragment.
    public var freeByteCount: Int64
    /// The length of a fragment in 1/90 000 s: what the end of the process can remove.
    var fragmentDuration: Int64 = 45_000
    /// How often written data is made durable, in 1/90 000 s: what a loss of power can remove, in addition to a fragment.
    let syncInterval: Int64 = 90_000
    /// The most that a crash can remove from a file's end, in 1/90 000 s.
    static var longestLoss: Int64 { Self().fragmentDuration + Self().syncInterval }

    public init(
        maximumDuration: Int64? = nil, maximumByteCount: Int64? = nil, segmentDuration: Int64? = nil,
        segmentByteCount: Int64? = nil, segmentCount: Int = .max, freeByteCount: Int64 = 0
    ) {
        self.maximumDuration = maximumDuration
        self.maximumByteCount = maximumByteCount
        self.segmentDuration = segmentDuration
        self.segmentByteCount = segmentByteCount
        self.segmentCount = segmentCount
        self.freeByteCount = freeByteCount
    }
}

/// The result of a recording.
public struct RecordingResult: Hashable, Sendable {
    /// One file of a recording.
    public struct Segment: Hashable, Sendable {
        /// The stem of its files' names, for ``RecordingFinisher``.
        public var stem: String
        /// The time at which it begins, in 1/90 000 s from the recording's start.
        public var start: Int64
        public var frameCount: Int
        /// Inserted silence where sound was missing, and sound left out because it was repeated or too late; samples of each channel.
        public var silentSampleCount: Int64
        public var refusedSampleCount: Int64
    }

    /// Why it has ended.
    public var end: RecordingEnd
    /// Its files, in order.
    public var segments: [Segment]
    /// Frames that arrived after its end and were not written.
    public var refusedFrameCount: Int
}
