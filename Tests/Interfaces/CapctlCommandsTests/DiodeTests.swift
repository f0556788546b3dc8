import CaptureModel
import CaptureTestSupport
import Foundation
import PosixSupport
import ScreenTiming
import Testing

@testable import CapctlCommands

@Suite struct DiodeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try write("255\n", to: "max_brightness")
        try write("0\n", to: "brightness")
        try write("[none] timer heartbeat\n", to: "trigger")
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
    }

    @Test("A diode switches by the sequence, and the file says when it did, within the time that switching took")
    func run() async throws {
        let sequence = ScreenSequence(seed: 4)
        let run = DiodeRun(sequence: sequence, length: .seconds(20), clock: SteppingClock())
        let times = try await run.times(of: try Diode(folder: folder.path), on: RigClockID(rawValue: "rig"))
        let start = RigTime(nanoseconds: 5_000_000_000)
        let meant = sequence.switches(from: start, to: start + .seconds(20))
        #expect(meant.count > 60 && times.switches.map(\.isWhite) == meant.map(\.isWhite))
        #expect(times.switches.map(\.time) == meant.map { $0.time + .nanoseconds(500) })
        #expect(times.bound == .nanoseconds(500))
        #expect(try String(contentsOfFile: "\(folder.path)/brightness", encoding: .utf8).hasPrefix("0\n"))
        // `capctl sync calibrate` reads the same.
        let file = "\(folder.path)/times.json"
        try times.save(to: file)
        let read = try ScreenTimes(file: file)
        #expect(read.switches == times.switches && read.bound == times.bound && read.clock == times.clock)
    }

    @Test("A folder that is not that of a diode, and one that the kernel switches, are refused")
    func refused() throws {
        #expect(throws: CommandFailure.self) { try Diode(folder: "\(folder.path)/none") }
        try write("none timer [heartbeat]\n", to: "trigger")
        let error = #expect(throws: CommandFailure.self) { try Diode(folder: folder.path) }
        let failure = try #require(error)
        #expect("\(failure)".contains("echo none > \(folder.path)/trigger"))
        try write("0\n", to: "max_brightness")
        #expect(throws: CommandFailure.self) { try Diode(folder: folder.path) }
    }
}
