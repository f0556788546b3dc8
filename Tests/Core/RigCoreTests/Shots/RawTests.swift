import CaptureModel
import CaptureTestSupport
import FolderStore
import RigProtocol
import RigTestSupport
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(1))) struct RawTests {
    private let folder: TemporaryFolder
    private let bothNodes: Set<NodeName>

    init() throws {
        folder = try TemporaryFolder()
        bothNodes = [try NodeName("north"), try NodeName("south")]
    }

    /// `north` has RAW, and no room for a photo at this moment; `south` has none.
    private func bench() async throws -> RigBench {
        let bench = try await RigBench(folder: folder)
        let busy = SessionAbilities.Ability.refused("as many captures are under way as its ring has room for")
        try await bench.hello(
            "north",
            session: SessionCondition(
                phase: .running, readiness: .busy, abilities: SessionAbilities(photo: busy, raw: busy), hasRaw: true))
        try await bench.hello(
            "south",
            session: SessionCondition(
                phase: .running,
                abilities: SessionAbilities(photo: .allowed, raw: .refused("not enabled: set `raw: true`"))))
        return bench
    }

    private func prepared(_ bench: RigBench) -> [String: String] {
        var raw: [String: String] = [:]
        for case (let node, .prepare(let prepare)) in bench.links.asked.value.sent {
            raw[node.rawValue] = prepare.settings.raw?.rawValue ?? ""
        }
        return raw
    }

    @Test func `the first manifest says which cameras have a raw file, and no other is asked for one`() async throws {
        let bench = try await bench()
        _ = await bench.rig.trigger(bench.order(settings: PhotoSettings(raw: .withPhotoWhereEnabled)))
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        let shot = try #require(try FolderReader(folder: folder.path + "/library").shot(Samples.shot()))
        #expect(shot.revision == 0)
        #expect(shot.captures.map { $0.files.map(\.kind) } == [[.photo, .alternatePhoto], [.photo]])
        #expect(shot.captures.map(\.rawNote) == [nil, "no RAW: not enabled: set `raw: true`"])
        #expect(prepared(bench) == ["north": "withPhotoWhereEnabled", "south": ""])
        await bench.end()
    }

    @Test func `where RAW is required every camera is asked for it`() async throws {
        let bench = try await bench()
        _ = await bench.rig.trigger(bench.order(settings: PhotoSettings(raw: .withPhoto)))
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        let captures = await bench.rig.shots[Samples.shot()]?.machine.shot.captures ?? []
        #expect(captures.map { $0.files.map(\.kind) } == Array(repeating: [.photo, .alternatePhoto], count: 2))
        #expect(captures.allSatisfy { $0.rawNote == nil })
        #expect(prepared(bench) == ["north": "withPhoto", "south": "withPhoto"])
        await bench.end()
    }

    @Test func `no raw file is expected of a bracket`() async throws {
        let bench = try await bench()
        let settings = PhotoSettings(bracket: [BracketStep(gain: 1)], raw: .withPhotoWhereEnabled)
        _ = await bench.rig.trigger(bench.order(settings: settings))
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        let captures = await bench.rig.shots[Samples.shot()]?.machine.shot.captures ?? []
        #expect(captures.map { $0.files.map(\.kind) } == [[.photo], [.photo]])
        #expect(captures.first?.rawNote == "no RAW: not supported of a bracket")
        await bench.end()
    }
}
