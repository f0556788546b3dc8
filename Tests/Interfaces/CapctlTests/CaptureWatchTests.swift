import ArgumentParser
import CaptureModel
import Testing

@testable import CapctlCommands

@Suite struct CaptureWatchTests {
    private let shot: ShotID
    private let other: ShotID

    init() throws {
        shot = try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"))
        other = try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f51"))
    }

    private func event(_ name: String, _ shot: ShotID?, _ device: String? = nil) throws -> RigEvent {
        RigEvent(
            EventName(rawValue: name), realtimeNanoseconds: 0, local: LocalTime(nanoseconds: 0),
            device: try device.map { try DeviceID($0) }, shot: shot)
    }

    @Test("Steps of other shots or cameras are shown, or what is no step at all")
    func filter() throws {
        var watch = CaptureWatch(shot: shot, devices: [try DeviceID("n1/cam1")])
        #expect(try watch.take(event("capture.willBeginCapture", shot, "n1/cam1")))
        #expect(try !watch.take(event("capture.willBeginCapture", shot, "n1/cam2")))
        #expect(try !watch.take(event("capture.willBeginCapture", other, "n1/cam1")))
        #expect(try !watch.take(event("device.running", nil, "n1/cam1")))
        #expect(try !watch.take(event("shot.accepted", shot)))
        var all = CaptureWatch(shot: nil, devices: [])
        #expect(try all.take(event("capture.didFinishCapture", other, "n1/cam2")))
        #expect(try !all.take(event("shot.settled", other)))
        #expect(!all.isOver)
    }

    @Test(
        "A watched shot or take ends before the last camera has told its end, or never",
        arguments: ["shot.settled", "take.settled"])
    func end(settled: String) throws {
        var watch = CaptureWatch(shot: shot, devices: [])
        _ = try watch.take(event("capture.willBeginCapture", shot, "n1/cam1"))
        _ = try watch.take(event("capture.willBeginCapture", shot, "n2/cam1"))
        _ = try watch.take(event("capture.didFinishCapture", shot, "n1/cam1"))
        #expect(try !watch.take(event(settled, shot)))
        #expect(!watch.isOver)
        _ = try watch.take(event("capture.didFinishCapture", shot, "n2/cam1"))
        #expect(watch.isOver)
    }

    @Test("A change of the scene is not shown, or is among the steps of a shot")
    func scene() throws {
        var all = CaptureWatch(shot: nil, devices: [])
        #expect(try all.take(event("device.sceneChanged", nil, "n1/cam1")))
        #expect(try !all.take(event("device.sceneChanged", nil)))
        var one = CaptureWatch(shot: nil, devices: [try DeviceID("n1/cam2")])
        #expect(try !one.take(event("device.sceneChanged", nil, "n1/cam1")))
        var watched = CaptureWatch(shot: shot, devices: [])
        #expect(try !watched.take(event("device.sceneChanged", nil, "n1/cam1")))
    }

    @Test("A shot that no camera took part in is watched for ever")
    func nobody() throws {
        var watch = CaptureWatch(shot: shot, devices: [])
        _ = try watch.take(event("shot.settled", other))
        #expect(!watch.isOver)
        _ = try watch.take(event("shot.settled", shot))
        #expect(watch.isOver)
    }

    @Test(arguments: [["--count", "0"], ["nonsense"], ["--device", "cam"]])
    func aWrongCommandLineEndsWith64(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["watch"] + arguments) }
    }
}
