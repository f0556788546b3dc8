internal import ArgumentParser
internal import CaptureModel

/// What a shot is to be, apart from its id.
struct ShotOptions: ParsableArguments {
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The instant: +250ms or -0.5s from receipt, or a date such as 2026-11-21T10:15:43.25Z.",
            discussion: "An instant in the recent past is taken from the frames the nodes still hold.",
            valueName: "time"),
        transform: ShotOptions.time)
    var at: RequestedTime?

    @Option(
        help: ArgumentHelp("How far ahead the instant lies, instead of as soon as possible.", valueName: "duration"),
        transform: ShotOptions.duration)
    var lead: Duration?

    @Option(
        help: ArgumentHelp(
            "How long to wait for outcomes after the instant (10s); the shot itself goes on.", valueName: "duration"),
        transform: ShotOptions.duration)
    var timeout: Duration?

    @Flag(help: "Cancel all unless every selected camera is armed.")
    var requireAll = false

    @Option(help: "JPEG quality, 1 to 100, where the node encodes; cameras that deliver JPEG keep their own bytes.")
    var quality: Int?

    func validate() throws {
        if at != nil, lead != nil {
            throw ValidationError("--at names the instant and --lead lets it be chosen; give one of them.")
        }
        if let timeout, timeout > .seconds(86_400) {
            throw ValidationError("--timeout is at most a day.")
        }
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("--quality is 1 to 100.")
        }
    }

    /// The request in the model's words.
    var request: ShotRequest {
        ShotRequest(
            selection: cameras.selection, settings: PhotoSettings(quality: quality),
            time: at ?? .soon(lead: lead?.nanoseconds), requireAll: requireAll)
    }

    private static func time(_ text: String) throws -> RequestedTime {
        guard let time = RequestedTime(commandLine: text) else {
            throw ValidationError(
                "write an instant as +250ms, -0.5s (units ns, us, ms, s, min) or 2026-11-21T10:15:43.25Z")
        }
        return time
    }

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), duration >= .zero else {
            throw ValidationError("write a duration with its unit (ns, us, ms, s, min), such as 250ms or 1.5s")
        }
        return duration
    }
}
