/// What a recording does with each frame: pure, without files or clocks. Times are presentation times.
///
/// | state | event | what is done | then |
/// |---|---|---|---|
/// | waiting | frame | open the first file, write | recording |
/// | waiting | sound | nothing: there is no file yet | waiting |
/// | waiting | stop | end `stopped` | ended |
/// | recording | frame within all limits | write | recording |
/// | | frame, the fragment is full | flush; where it is time, sync; look at the disk; write | recording |
/// | | frame, the file is full, and there may be another | close it, open the next, write | recording |
/// | | frame beyond the recording's limit | close, end `durationLimit` or `sizeLimit`; the frame is not written | ended |
/// | | sound within all limits | write | recording |
/// | | sound that is a fragment's length ahead of the frames, and the fragment is full | flush the sound; as for a frame | recording |
/// | | sound beyond the recording's limit: its bytes; its length, by a fragment's | close, end `sizeLimit`, `durationLimit`; the sound is not written | ended |
/// | | space below what must stay free | close, end `diskNearlyFull` | ended |
/// | | stop | close, end `stopped` | ended |
/// | any | failure | abandon the file, end `failed`, also where closing it has failed | ended |
/// | ended | any other | nothing | ended |
struct RecordingMachine {
    enum Event {
        /// A frame comes, which is later than the one before.
        case frame(time: Int64, byteCount: Int)
        /// Sound comes, up to this presentation time.
        case sound(until: Int64, byteCount: Int)
        /// The disk has so many bytes free.
        case space(Int64)
        case stop
        /// A file could not be written.
        case failure
    }

    enum Action: Hashable {
        /// Begin the file of this number, from 1 on; its times count from `start`.
        case open(segment: Int, start: Int64)
        /// Write what has come.
        case write
        /// End the fragment.
        case flush
        /// End the fragment, without the frame that waits for the next one's time.
        case flushSound
        /// Make durable what was written.
        case sync
        /// Ask what the disk has free, and tell.
        case examineSpace
        /// End the file.
        case close
        /// Leave the file as it is.
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

    /// The first file's times count from the recording's start, so that all cameras agree; each further one begins with a
    /// frame.
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
        // By the recording's time, so that all cameras turn at the same instants.
        let isOld = limits.segmentDuration.map { time / max($0, 1) > segment.start / max($0, 1) } ?? false
        let isFull = limits.segmentByteCount.map { segment.byteCount + count > $0 } ?? false
        if isOld || isFull, segment.number < limits.segmentCount {
            return [.close] + open(segment.number + 1, start: time, time, count)
        }
        var segment = segment
        segment.lastFrame = time
        return endFragment(of: &segment, at: time, by: .flush) + write(segment, count)
    }

    /// While frames stay out the sound tells how time goes, since a fragment stands in memory until it ends.
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
