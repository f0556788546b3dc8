import ArgumentParser
import CaptureModel
import RigConfiguration
import RigDocuments
import RigWire

@testable import CapctlCommands
@testable import FileCamera

/// What a person types: words that stand for instants, durations, sizes and names, and the options of a trigger.
enum CommandLineFuzz {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let isWholeLine = input.number(UInt8.self) % 8 == 0
        let text = String(decoding: input.remainder, as: UTF8.self)
        if isWholeLine { return line(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)) }
        try times(text)
        try names(text)
        try date(FuzzInput(bytes))
        _ = (BracketStep(commandLine: text[...]), PictureSize(argument: text))
    }

    private static func line(_ arguments: [String]) {
        guard let options = try? ShotOptions.parse(arguments) else { return }
        let request = options.request
        _ = try? TriggerRequest(wire: TriggerRequest(shot: shot, request: request, timeout: options.timeout).wire)
    }

    private static func times(_ text: String) throws {
        if let duration = Duration(commandLine: text) {
            try FuzzFinding.unless(
                Duration(commandLine: "\(duration.nanoseconds)ns") == duration, "\(text) is not whole nanoseconds")
            _ = (duration.shortText, duration.signedText)
        }
        _ = RequestedTime(commandLine: text)
        guard let realtime = RFC3339.realtimeNanoseconds(text) else { return }
        try agrees(realtime)
    }

    /// Any instant can be printed, and read again.
    private static func date(_ input: FuzzInput) throws {
        var input = input
        try agrees(input.number())
    }

    private static func agrees(_ realtime: Int64) throws {
        let text = RFC3339.text(realtimeNanoseconds: realtime)
        try FuzzFinding.unless(RFC3339.realtimeNanoseconds(text) == realtime, "\(realtime) is printed as \(text)")
    }

    private static func names(_ text: String) throws {
        if let id = try? DeviceID(text) {
            try FuzzFinding.unless(id.description == text, "\(text) is read as \(id)")
        }
        if let endpoint = TCPEndpoint(text) {
            try FuzzFinding.unless(TCPEndpoint(endpoint.description) == endpoint, "\(text) is read as \(endpoint)")
        }
        if let id = ShotID(text) {
            try FuzzFinding.unless(ShotID(id.description) == id, "\(text) is read as \(id)")
        }
        let topics = [FrameTopic(text)?.description, FeedTopic(text)?.description].compactMap(\.self)
        try FuzzFinding.unless(topics.allSatisfy { $0 == text }, "\(text) is read as \(topics)")
        _ = ContentDigest(text)
        let halves = text.split(separator: "\n", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { return }
        let (forward, backward) = (
            NaturalOrder.precedes(halves[0], halves[1]), NaturalOrder.precedes(halves[1], halves[0])
        )
        try FuzzFinding.unless(
            !(forward && backward) && (forward || backward || halves[0] == halves[1]), "\(halves) have no order")
    }

    private static var shot: ShotID {
        var generator = SystemRandomNumberGenerator()
        return ShotID(unixMilliseconds: 1, using: &generator)
    }
}
