import CaptureModel
import CaptureTestSupport
import Foundation
import RigProtocol
import RigTestSupport
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(10))) struct MovedLibraryTests {
    private let folder: TemporaryFolder
    private let north: NodeName
    private var library: String { folder.path + "/library" }

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
    }

    private func move() throws { try FileManager.default.moveItem(atPath: library, toPath: library + ".moved") }
    private func putBack() throws { try FileManager.default.moveItem(atPath: library + ".moved", toPath: library) }

    @Test func `a shot is refused while the library is away, and taken when it is back`() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        try move()
        let problem = await bench.refusal(bench.order())
        #expect(problem?.code == .inputOutput)
        #expect(problem?.message.contains("the library \(library) was moved, replaced or unmounted") == true)
        #expect(problem?.message.contains("there is nothing at this path") == true)
        #expect(bench.links.asked.value.sent.isEmpty, "nothing was asked of any camera")
        try putBack()
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        try await bench.captured("north", [1, 2])
        try await bench.collect("north", [1, 2])
        #expect(try await bench.answer(notices)?.status == .complete)
        await bench.end()
    }

    @Test func `a shot whose library goes away in between is not complete before it is back`() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        try await bench.captured("north", [1, 2])
        try move()
        await #expect(throws: StorageError.self) { try await bench.collect("north", [1, 2]) }
        #expect(await bench.rig.shot(Samples.shot())?.machine.shot.status == .open)
        #expect(bench.links.asked.value.released.isEmpty)
        try putBack()
        let (key, file) = (try Samples.fileKey(), Samples.file([1, 2]))
        let content = AssetContent(byteCount: file.byteCount, digest: file.digest)
        #expect(
            try await bench.assets.begin(key, content) == .committed,
            "what was received until then is not asked for again")
        await bench.rig.stored(key, path: try await bench.assets.commit(key).description)
        #expect(try await bench.answer(notices)?.status == .complete)
        await bench.end()
    }
}

@Suite struct LeftOutDevicesTests {
    private let candidates: [SelectionCandidate]

    init() throws {
        candidates = [
            try Self.candidate("n/cam", .wide, .absent),
            try Self.candidate("n/old", DeviceType(rawValue: "telephoto"), .notConfigured),
        ]
    }

    private static func candidate(
        _ id: String, _ type: DeviceType, _ state: DeviceCondition.State
    ) throws -> SelectionCandidate {
        SelectionCandidate(
            device: DeviceDescription(id: try DeviceID(id), type: type, driver: "virtual"),
            condition: DeviceCondition(state: state))
    }

    private func selected(_ selection: Selection) -> [String]? {
        try? selection.evaluate(candidates).map(\.id.description)
    }

    private func leftOut(_ selection: Selection) -> [String] {
        selection.leftOut(of: candidates)?.devices.map(\.description) ?? []
    }

    @Test("Leaves out unconfigured devices from every selection, and says so")
    func choices() throws {
        let any = TypeAndPosition()
        for choice in [Selection.Choice.all, .matching([any]), .first([any], per: .node), .first([], per: .rig)] {
            #expect(selected(Selection(choice: choice)) == ["n/cam"], "\(choice)")
            #expect(leftOut(Selection(choice: choice)) == ["n/old"], "\(choice)")
        }
        let wide = Selection(choice: .matching([TypeAndPosition(type: .wide)]))
        #expect(selected(wide) == ["n/cam"] && leftOut(wide) == [], "it is not meant")
        #expect(leftOut(Selection(nodes: [try NodeName("other")])) == [])
    }

    @Test("Selects a named camera, configured or not")
    func named() throws {
        let named = Selection(devices: [try DeviceID("n/old")])
        #expect(selected(named) == ["n/old"] && leftOut(named) == [])
        let tele = Selection(choice: .first([TypeAndPosition(type: DeviceType(rawValue: "telephoto"))], per: .rig))
        let error = #expect(throws: EmptySelection.self) { try tele.evaluate(candidates) }
        #expect(error?.description.contains("`capctl devices forget n/old`") == true)
    }

    @Test("Names all devices that are left out in one sentence") func sentence() throws {
        #expect(LeftOutDevices([]) == nil)
        let both = try #require(LeftOutDevices(candidates.map(\.device.id)))
        #expect(
            both.description
                == "n/cam, n/old are no longer configured by their nodes; remove them with `capctl devices forget n/cam n/old`, or configure them again"
        )
    }
}
