internal import ArgumentParser
internal import CaptureModel

/// How long a node may take to carry a command out.
struct DeviceTimeoutOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("How long a node may take, up to 10min.", valueName: "duration"),
        transform: DeviceTimeoutOptions.duration)
    var timeout = Duration.seconds(10)

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), duration > .zero, duration <= .seconds(600) else {
            throw ValidationError("write a duration with its unit, such as 500ms or 30s, up to 10min")
        }
        return duration
    }
}
