import CameraKit
import CaptureModel

/// What a program says of one picture.
struct FrameTime: Hashable, Sendable {
    /// The camera's number of the picture. It rises; what it omits, the camera has lost.
    var sequence: UInt64
    /// When the exposure of the first row began, on `CLOCK_MONOTONIC`.
    var start: LocalTime
    /// nil if it is unknown.
    var exposure: Duration?
    /// In the units of the camera; nil if it is unknown.
    var gain: Int64?
    /// The largest error of `start` as it was converted from the camera's clock.
    var bound = Duration.zero
    /// `start` on the camera's own clock, nanoseconds; nil if it is not told.
    var cameraStart: Int64?
    /// What the program has told of the samples before this line; nil if nothing.
    var color: SensorColor?
}

/// The lines of a program's times: `sequence monotonic_ns exposure_ns gain`, with `-` for what is unknown of the last two, and a fifth word
/// `bound_ns` if the start was converted from another clock, and a sixth one `camera_ns`, which is the start on that clock.
///
/// Line *n* belongs to picture *n* of the program's run, so a line that cannot be read, or one too many, ends the run: all later ones could
/// belong to other pictures. A line `color` before one holds for its picture and for those after it. The type is pure.
struct FrameTimes {
    /// Lines that may wait for their pictures.
    static let largestLead = 4096

    private var waiting: [FrameTime] = []
    private var last: FrameTime?
    private var color: SensorColor?

    /// Returns the time of the next picture; nil if its line has not come.
    mutating func next() -> FrameTime? { waiting.isEmpty ? nil : waiting.removeFirst() }

    mutating func add(line: String) throws(ProgramLines.Mismatch) {
        guard var time = FrameTime(line: line) else {
            throw ProgramLines.Mismatch(
                description:
                    "the line '\(line.excerpt)' of its times is not 'sequence monotonic_ns exposure_ns gain [bound_ns [camera_ns]]'"
            )
        }
        if let last, time.sequence <= last.sequence || time.start <= last.start {
            throw ProgramLines.Mismatch(
                description:
                    "the line '\(line.excerpt)' of its times is not after the line before it")
        }
        guard waiting.count < Self.largestLead else {
            throw ProgramLines.Mismatch(description: "it has written \(Self.largestLead) times without their pictures")
        }
        time.color = color
        last = time
        waiting.append(time)
    }

    /// Reads a line that tells the colors of the pictures whose times follow it.
    /// - Returns: false if it is another line.
    mutating func add(color line: String) throws(ProgramLines.Mismatch) -> Bool {
        guard line.prefix(while: { $0 != " " }) == SensorColor.word else { return false }
        guard let told = SensorColor(line: line) else {
            throw ProgramLines.Mismatch(
                description:
                    "the line '\(line.excerpt)' is not 'color BLACK RED,BLUE MATRIX' with values that a camera has")
        }
        color = told
        return true
    }
}

extension FrameTime {
    init?(line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        guard (4...6).contains(words.count), let sequence = UInt64(words[0]), let start = Int64(words[1]), start >= 0,
            let exposure = Self.number(words[2], least: 1), let gain = Self.number(words[3], least: 0)
        else { return nil }
        if words.count == 6 {
            guard let camera = Int64(words[5]), camera >= 0 else { return nil }
            cameraStart = camera
        }
        if words.count >= 5 {
            guard case .some(.some(let bound)) = Self.number(words[4], least: 0) else { return nil }
            self.bound = .nanoseconds(bound)
        }
        self.sequence = sequence
        self.start = LocalTime(nanoseconds: start)
        self.exposure = exposure.map { .nanoseconds($0) }
        self.gain = gain
    }

    /// Returns a number, or one that is unknown; nil for anything else.
    private static func number(_ word: Substring, least: Int64) -> Int64?? {
        if word == "-" { return .some(nil) }
        guard let number = Int64(word), number >= least, number <= 3_600_000_000_000 else { return nil }
        return .some(number)
    }
}
