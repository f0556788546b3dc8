import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import RigProtocol
import RigTestSupport
import RigWire
import StorageKit
import Testing
import ZeroMQ

/// What a trigger is answered lies where the answer says.
@Suite(.timeLimit(.minutes(10))) struct AnswerPlaceTests {
    private let shot = Samples.shot()
    private let bytes: [UInt8] = [1, 2, 3]

    /// A library with a complete shot of one camera.
    private func fill(_ folder: TemporaryFolder) async throws {
        let store = try FolderStore(folder: folder.path + "/library")
        let (key, file) = (try Samples.fileKey(), Samples.file(bytes))
        let time = RigTime(nanoseconds: 1_000_000_000)
        var shot = Shot(
            id: shot, time: time, rigClock: RigClockID(rawValue: "rig-0"),
            wallClock: WallClockPair(monotonic: time, realtimeNanoseconds: shot.unixMilliseconds * 1_000_000),
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection()),
            captures: [Capture(device: try Samples.status("north/cam").device)])
        try await store.manifests.create(shot)
        _ = try await store.assets.begin(key, AssetContent(byteCount: file.byteCount, digest: file.digest))
        try await store.assets.append(bytes, to: key, at: 0)
        shot.captures[0].files[0].path = try await store.assets.commit(key).description
        shot.captures[0].files[0].outcome = .done
        (shot.captures[0].files[0].digest, shot.captures[0].files[0].byteCount) = (file.digest, file.byteCount)
        (shot.captures[0].phase, shot.status, shot.settledAt) = (.done, .complete, time)
        shot.revision = 1
        try await store.manifests.replace(0, with: shot)
    }

    private func trigger(_ bench: WireBench, _ socket: DealerSocket) async throws -> WireClientReply {
        var request = WireClientRequest()
        request.requestID = 2
        request.trigger =
            TriggerRequest(shot: shot, request: ShotRequest(selection: Selection()), timeout: nil).wire
        return try await bench.ask(socket, request)
    }

    @Test func `a shot is not answered as complete while its files are not at the paths it names`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        let first = try await trigger(bench, socket)
        guard case .shot(let document) = first.body else {
            Issue.record("\(first)")
            return
        }
        #expect(document.status == "complete" && document.library == bench.library)

        let files = FileManager.default
        try files.moveItem(atPath: bench.library, toPath: bench.library + ".moved")
        let moved = try await trigger(bench, socket)
        #expect(moved.failure.problem.code == "inputOutput")
        #expect(moved.failure.problem.message.contains("there is nothing at this path"), "\(moved)")
        // Another folder in its place is not it, whatever lies there.
        // Small pictures of its files may still be being made.
        try files.createDirectory(atPath: bench.library, withIntermediateDirectories: false)
        for name in try files.contentsOfDirectory(atPath: bench.library + ".moved") where name != ".previews" {
            try files.copyItem(atPath: bench.library + ".moved/" + name, toPath: bench.library + "/" + name)
        }
        let replaced = try await trigger(bench, socket)
        #expect(replaced.failure.problem.message.contains("there is another folder at this path"), "\(replaced)")
        var problem = ""
        while problem.isEmpty { problem = try await bench.status(socket)?.libraryProblem.message ?? "" }
        #expect(problem.contains("the library \(bench.library) was moved, replaced or unmounted"))

        // Moved, not removed: its small pictures may still be being made too.
        try files.moveItem(atPath: bench.library, toPath: bench.library + ".other")
        try files.moveItem(atPath: bench.library + ".moved", toPath: bench.library)
        guard case .shot(let back) = try await trigger(bench, socket).body else {
            Issue.record("the library is back, and the shot is not answered")
            return
        }
        while try await bench.status(socket)?.hasLibraryProblem != false {}
        let still = "\(back.library)/\(back.folder)/north.cam/photo.jpg"
        try files.removeItem(atPath: still)
        let lost = try await trigger(bench, socket)
        #expect(lost.failure.problem.code == "inputOutput")
        #expect(lost.failure.problem.message.contains(still), "\(lost)")
        await socket.close()
        await bench.end()
    }
}
