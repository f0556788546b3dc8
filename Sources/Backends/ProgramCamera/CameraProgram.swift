package import CameraKit
package import CaptureModel

/// The program whose output is a camera: what is run, what it writes, and what to say if that fails.
package struct CameraProgram: Hashable, Sendable {
    /// What it writes to its standard output.
    package enum Pictures: Hashable, Sendable {
        /// JPEG images, and anything between them; see ``JPEGSplitter``.
        case jpeg
        /// Frames of a pixel format, each with a header; see ``RawSplitter``.
        case raw
    }

    /// The program, looked for in `PATH` if its name has no slash, and its arguments. Not empty.
    package var command: [String]
    package var pictures: Pictures
    package var arrival: ArrivalConfiguration
    /// Whether it tells on its descriptor 3 when its pictures were taken; see ``FrameTimes``. Otherwise they have the time at which their
    /// first byte arrived.
    package var tellsTimes = false
    /// What the times are that it tells.
    package var toldStamps = StampOrigin.program
    /// Whether exposure and gain that it tells of a picture are those with which that was taken.
    package var statesFrameValues = false
    /// Whether it takes changes of its controls on its standard input; see ``ProgramControls``.
    package var takesControls = false
    /// Whether it takes the requested format as options; see ``asked(for:)``. Otherwise it has one format.
    package var takesFormat = false
    /// The bytes of its address space (`RLIMIT_AS`); nil for no limit.
    package var memory: UInt64?
    /// The camera for people, such as `command 'ffmpeg'`.
    package var identity: String
    /// The camera's connection, such as `command:ffmpeg`.
    package var connection: String
    /// What to do if the program is missing.
    package var installing: String
    /// What can be corrected beside `format` if its format is not the requested one.
    package var formatRemedy: String

    /// - Parameter command: Not empty.
    package init(
        _ command: [String], writing pictures: Pictures, _ arrival: ArrivalConfiguration, identity: String,
        connection: String, installing: String, formatRemedy: String
    ) {
        self.command = command
        self.pictures = pictures
        self.arrival = arrival
        self.identity = identity
        self.connection = connection
        self.installing = installing
        self.formatRemedy = formatRemedy
    }

    /// What the stamps of its pictures are.
    var stampOrigin: StampOrigin { tellsTimes ? toldStamps : .arrival }

    /// Returns the program that is to deliver this format: with `--format FOURCC`, `--width N`, `--height N`, as far as they are requested,
    /// and `--fps N`. A rate outside of the limits is not passed on. A requested format also decides what the program writes.
    func asked(for request: FormatRequest) -> CameraProgram {
        guard takesFormat else { return self }
        var asked = self
        if let rate = request.framesPerSecond, ArrivalConfiguration.Limits.framesPerSecond.contains(rate) {
            asked.arrival.framesPerSecond = rate
        }
        if let format = request.pixelFormat {
            asked.command += ["--format", format.rawValue]
            asked.pictures = format == .mjpeg ? .jpeg : .raw
        }
        if let width = request.width { asked.command += ["--width", "\(width)"] }
        if let height = request.height { asked.command += ["--height", "\(height)"] }
        asked.command += ["--fps", "\(asked.arrival.framesPerSecond)"]
        return asked
    }
}
