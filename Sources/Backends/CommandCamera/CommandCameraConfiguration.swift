public import CameraKit
public import CaptureModel
import ProgramCamera
public import RigConfiguration

/// The program whose output is a camera, and what is known of it. The names are the keys in YAML.
public struct CommandCameraConfiguration: Hashable, Sendable {
    /// What the program writes to its standard output.
    public enum Pictures: String, Hashable, Sendable, CaseIterable {
        /// JPEG images, and anything between them.
        case jpeg
        /// Frames of a pixel format, each with a header.
        case raw
    }

    /// Where the program tells when its pictures were taken.
    public enum Times: String, Hashable, Sendable, CaseIterable {
        /// On its descriptor 3, one line for each picture.
        case fd3
    }

    /// Where the program takes changes of its controls.
    public enum Controls: String, Hashable, Sendable, CaseIterable {
        /// On its standard input, after it has told its controls on its descriptor 3.
        case stdin
    }

    /// How the program is told which format is requested.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// By options after the arguments.
        case options
    }

    /// The program, looked for in `PATH` if its name has no slash, and its arguments. No shell reads them.
    public var run: [String]
    public var pictures = Pictures.jpeg
    public var arrival: ArrivalConfiguration
    /// nil if it tells no times. Then pictures have the time at which their first byte arrived.
    public var times: Times?
    /// nil if it has no controls.
    public var controls: Controls?
    /// nil if it has one format.
    public var format: Format?
    /// The size of the program's memory (`RLIMIT_AS`); nil for no limit.
    public var memoryMebibytes: Int?

    public init(run: [String], framesPerSecond: Double = 30, times: Times? = nil) {
        self.run = run
        arrival = ArrivalConfiguration(framesPerSecond: framesPerSecond)
        self.times = times
    }

    var program: CameraProgram {
        var program = CameraProgram(
            run, writing: pictures == .raw ? .raw : .jpeg, arrival, identity: "command '\(run.first ?? "")'",
            connection: "command:\(run.first ?? "")", installing: "install it, or correct `run`",
            formatRemedy: "the arguments of the program and `framesPerSecond`")
        program.tellsTimes = times != nil
        // What a program tells of a picture is that picture's.
        program.statesFrameValues = times != nil
        program.takesControls = controls != nil
        program.takesFormat = format != nil
        program.memory = memoryMebibytes.map { UInt64($0) << 20 }
        return program
    }
}

/// The limits of what a configuration may say of a program.
public enum CommandCameraLimits {
    public static let words = 256
    public static let wordByteCount = 4096
    public static let memoryMebibytes = 16...1_048_576
}

extension CommandCameraConfiguration: CameraSource {
    public static let key = "command"

    /// Reads the configuration. Whether the program exists is not checked.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let list = mapping.required("run")
        let entries = list?.list(limit: CommandCameraLimits.words) ?? []
        let words = entries.compactMap { $0.scalar(.text(limit: CommandCameraLimits.wordByteCount)) }
        self.init(run: words)
        pictures = mapping.read("pictures", .oneOf(Pictures.self), default: pictures)
        arrival.read(from: mapping)
        times = mapping.value("times")?.scalar(.oneOf(Times.self))
        controls = mapping.value("controls")?.scalar(.oneOf(Controls.self))
        format = mapping.value("format")?.scalar(.oneOf(Format.self))
        memoryMebibytes = mapping.value("memoryMebibytes")?.scalar(.integer(CommandCameraLimits.memoryMebibytes))
        mapping.finish()
        guard let list else { return nil }
        if words.isEmpty, entries.isEmpty {
            list.report(.badValue, "names no program; the first entry is the program, the others are its arguments")
        }
        guard !words.isEmpty, words.count == entries.count else { return nil }
    }

    public var written: WrittenValue {
        .mapping { mapping in
            mapping.add("run", texts: run)
            if pictures != .jpeg { mapping.add("pictures", plain: pictures.rawValue) }
            arrival.write(to: &mapping)
            mapping.add("times", plainIfPresent: times?.rawValue)
            mapping.add("controls", plainIfPresent: controls?.rawValue)
            mapping.add("format", plainIfPresent: format?.rawValue)
            mapping.add("memoryMebibytes", plainIfPresent: memoryMebibytes)
        }
    }

    /// What one program uses, another may use too, as far as anybody knows here.
    public var hardware: String? { nil }

    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        ProgramCamera(name: name.rawValue, program: program, stamps: stamps)
    }
}

extension DeviceSource {
    /// Creates the source of a camera that is a program's output.
    public static func command(_ configuration: CommandCameraConfiguration) -> DeviceSource {
        DeviceSource(configuration)
    }
}
