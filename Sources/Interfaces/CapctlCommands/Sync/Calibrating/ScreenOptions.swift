internal import ArgumentParser
internal import CaptureModel
internal import Foundation
internal import ScreenTiming

/// Which screen the cameras see, and for how long.
struct ScreenOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long to watch the screen (30s).", valueName: "duration"),
        transform: FrameOptions.duration)
    var length: Duration = .seconds(30)

    @Option(
        help: ArgumentHelp(
            "The file of the page `/screen.html` of the gateway, with the times at which it switched; waits until it is there.",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var times: String?

    @Option(help: "Without --times: the seed of the sequence that the screen shows exactly, by the rig's clock (1).")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "The measured time from a switch of the screen to its light, such as 12±2ms (from 0 to 60ms).",
            valueName: "duration±error"),
        transform: ScreenOptions.lag)
    var screenLag: ScreenLag?

    @Option(
        help: ArgumentHelp(
            "The time from the screen's first row to its last, that is one of its frames at most (17ms; 0ms to 50ms).",
            valueName: "duration"),
        transform: ScreenOptions.scan)
    var screenScan: Duration?

    @Flag(help: "The screen is a light-emitting diode, which has no lag.")
    var led = false

    @Option(
        help: ArgumentHelp(
            "A camera that sees the screen too and whose stamps are known. It tells the screen's lag.",
            valueName: "node/device"), completion: .devices, transform: { try DeviceID($0) })
    var reference: DeviceID?

    func validate() throws {
        guard (.seconds(5) ... .seconds(600)).contains(length) else {
            throw ValidationError("--for is a duration of 5s to 10min.")
        }
        if led, screenLag != nil { throw ValidationError("A diode has no lag; give either --led or --screen-lag.") }
        if led, screenScan != nil { throw ValidationError("A diode has no rows; give either --led or --screen-scan.") }
    }

    /// The lag that the options state.
    var lag: ScreenLag { led ? .none : screenLag ?? .unknown }

    /// The time in which the screen builds its picture; of a screen of which nothing is said, a frame of one of 60 Hz.
    var scan: Duration { led ? .zero : screenScan ?? .milliseconds(17) }

    static func scan(_ text: String) throws -> Duration {
        guard let scan = Duration(commandLine: text), (.zero ... .milliseconds(50)).contains(scan) else {
            throw ValidationError("write a duration of 0ms to 50ms with its unit, such as 17ms")
        }
        return scan
    }

    static func lag(_ text: String) throws -> ScreenLag {
        let parts = text.replacing("+-", with: "±").split(separator: "±", omittingEmptySubsequences: false)
        let unit = parts.last?.drop { !$0.isLetter && $0 != "µ" } ?? ""
        let durations = parts.map { part in
            Duration(commandLine: part.contains { $0.isLetter || $0 == "µ" } ? String(part) : "\(part)\(unit)")
        }
        guard (1...2).contains(durations.count), let middle = durations[0], middle >= .zero, middle <= .seconds(1),
            let error = durations.count == 2 ? durations[1] : Duration.zero, error >= .zero,
            let lag = ScreenLag(least: max(.zero, middle - error), most: middle + error)
        else { throw ValidationError("write a lag with its error and unit, such as 12±2ms") }
        return lag
    }
}

/// When a screen switched, and on which clock.
struct ScreenTimes: Sendable {
    var switches: [ScreenSwitch]
    /// The largest error of the times.
    var bound: Duration
    /// nil: the rig's, whatever it is.
    var clock: RigClockID?

    init(switches: [ScreenSwitch], bound: Duration, clock: RigClockID) {
        (self.switches, self.bound, self.clock) = (switches, bound, clock)
    }

    /// The sequence of a seed, from two seconds before the first picture to two seconds after the last one.
    init(seed: UInt64, of sights: [ScreenSight]) {
        let times = sights.flatMap { [$0.pictures.first?.midExposure, $0.pictures.last?.midExposure] }.compactMap(
            \.self)
        let range = (times.min() ?? RigTime(nanoseconds: 0), times.max() ?? RigTime(nanoseconds: 0))
        switches = ScreenSequence(seed: seed).switches(from: range.0 - .seconds(2), to: range.1 + .seconds(2))
        bound = .zero
    }

    /// Reads the file of the page.
    /// - Throws: ``CommandFailure`` if it is not one.
    init(file: String) throws {
        do {
            let read = try JSONDecoder().decode(File.self, from: Data(contentsOf: URL(filePath: file)))
            let switches = try read.switches.map { entry in
                guard let nanoseconds = Int64(entry.rigNanoseconds) else { throw CommandFailure(.other, "no number") }
                return ScreenSwitch(time: RigTime(nanoseconds: nanoseconds), isWhite: entry.white)
            }
            guard let bound = Int64(read.boundNanoseconds), bound >= 0,
                zip(switches, switches.dropFirst()).allSatisfy({ $0.time < $1.time && $0.isWhite != $1.isWhite })
            else { throw CommandFailure(.other, "its times do not ascend") }
            (self.switches, self.bound, clock) = (switches, .nanoseconds(bound), RigClockID(rawValue: read.rigClock))
        } catch {
            throw CommandFailure(
                .other, "\(file) is not a file of times of the page `/screen.html`; save one there, and give its path")
        }
    }

    /// Writes a file as the page does, at once, since a command may wait for it.
    /// - Throws: ``CommandFailure`` if it cannot be written.
    func save(to file: String) throws {
        let content = File(
            rigClock: clock?.rawValue ?? "", boundNanoseconds: "\(bound.nanoseconds)",
            switches: switches.map { File.Entry(rigNanoseconds: "\($0.time.nanoseconds)", white: $0.isWhite) })
        do {
            try JSONEncoder().encode(content).write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw CommandFailure(.other, "\(file) cannot be written; name a file in a folder in which you may write")
        }
    }

    private struct File: Codable {
        var rigClock: String
        var boundNanoseconds: String
        var switches: [Entry]

        struct Entry: Codable {
            var rigNanoseconds: String
            var white: Bool
        }
    }

    /// The pictures of which it is known what the screen showed, however late they are.
    func covered(_ pictures: [ScreenPicture]) -> [ScreenPicture] {
        guard let first = switches.first, let last = switches.last else { return [] }
        let range = (first.time + .milliseconds(1750), last.time - .milliseconds(450))
        return pictures.filter { range.0 <= $0.midExposure && $0.midExposure <= range.1 }
    }
}
