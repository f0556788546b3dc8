package import CameraKit
package import CaptureModel

/// The exposures of a program that has its camera expose at given instants. Its thread passes on what the program tells, and writes what
/// the program is to be told.
package protocol ProgramExposures: ScheduledExposures {
    /// When ``next(at:)`` has something to do although nothing has come; nil if it has not.
    var deadline: LocalTime? { get }

    /// Does what has become due, and returns the lines that the program is to be told, each with its end.
    func next(at now: LocalTime) -> [String]

    /// Reads a line of the program's descriptor 3.
    func add(line: String, at now: LocalTime) -> ProgramExposureLine

    /// Accepts a frame of the program.
    /// - Parameter start: When its exposure began, on the camera's own clock, nanoseconds.
    func add(_ frame: CameraFrame, start: Int64, at now: LocalTime)

    /// Answers everybody, now that the program has ended.
    func end()
}

/// What a line of a program's descriptor 3 is to its exposures.
package enum ProgramExposureLine: Hashable, Sendable {
    case read
    /// It is of something else.
    case other
    /// It must not be written. Carries the reason as a sentence.
    case wrong(String)
}

/// What a camera's exposures need of its program's stream.
package struct ProgramExposureContext: Sendable {
    /// The camera for people.
    package let device: String
    /// Wakes the program's thread, and counts the frames that are dropped.
    package let control: StreamControl
    package let clock: any TimeSource
    package let correction: StampCorrection
    /// The shortest time from one exposure to the next.
    package let interval: Duration

    package init(
        device: String, control: StreamControl, clock: any TimeSource, correction: StampCorrection, interval: Duration
    ) {
        self.device = device
        self.control = control
        self.clock = clock
        self.correction = correction
        self.interval = interval
    }
}
