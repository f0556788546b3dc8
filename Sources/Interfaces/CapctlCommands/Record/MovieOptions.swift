internal import ArgumentParser
internal import CaptureModel
internal import RigConfiguration

/// Limits of a take's movies.
struct MovieOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("End each movie when it is so long.", valueName: "duration"),
        transform: MovieOptions.duration)
    var maxDuration: Duration?

    @Option(
        help: ArgumentHelp("End each movie when it has so many bytes: 500MB, 2GiB.", valueName: "size"),
        transform: MovieOptions.size)
    var maxSize: Int64?

    @Option(
        help: ArgumentHelp(
            "End each movie, or begin none, where its node's disk has less free than this.", valueName: "size"),
        transform: MovieOptions.size)
    var minFree: Int64?

    @Option(
        help: ArgumentHelp("Begin another movie file of each camera every so long: 10min.", valueName: "duration"),
        transform: MovieOptions.duration)
    var segment: Duration?

    @Option(
        help: ArgumentHelp("Begin another movie file of a camera when it has so many bytes: 2GB.", valueName: "size"),
        transform: MovieOptions.size)
    var segmentSize: Int64?

    func validate() throws {
        if let maxDuration, !(Duration.nanoseconds(1)...Duration.seconds(86_400)).contains(maxDuration) {
            throw ValidationError("--max-duration is at most a day.")
        }
        if let maxSize, !(1...(1 << 40)).contains(maxSize) {
            throw ValidationError("--max-size is at most 1 TiB.")
        }
        let shortest = Duration.nanoseconds(MovieSettings.shortestSegmentNanoseconds)
        if let segment, !(shortest...Duration.seconds(86_400)).contains(segment) {
            throw ValidationError("--segment is a second to a day.")
        }
        if let segmentSize, !(MovieSettings.smallestSegment...(1 << 40)).contains(segmentSize) {
            throw ValidationError("--segment-size is 1 MB to 1 TiB.")
        }
        if let problem = settings.problem { throw ValidationError("\(problem).") }
    }

    var settings: MovieSettings {
        MovieSettings(
            maxRecordedDurationNanoseconds: maxDuration?.nanoseconds, maxRecordedFileSize: maxSize,
            minFreeDiskSpaceLimit: minFree, segmentDurationNanoseconds: segment?.nanoseconds,
            segmentFileSize: segmentSize)
    }

    static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), duration >= .zero else {
            throw ValidationError("write a duration with its unit (ns, us, ms, s, m or min), such as 250ms or 1.5s")
        }
        return duration
    }

    private static func size(_ text: String) throws -> Int64 {
        guard let size = ByteCount(text: text) else {
            throw ValidationError("write a size with its unit, such as 500MB or 2GiB")
        }
        return size.bytes
    }
}
