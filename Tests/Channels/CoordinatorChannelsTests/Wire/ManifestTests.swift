import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import RigProtocol
import RigTestSupport
import RigWire
import ShotDocuments
import StorageKit
import Testing
import ZeroMQ

/// A client is given manifests as the library holds them.
@Suite(.timeLimit(.minutes(10))) struct ManifestTests {
    private let request = ShotRequest(selection: Selection())

    private func shot(_ captures: [Capture], _ status: Shot.Status = .complete) -> Shot {
        let time = RigTime(nanoseconds: 1_000_000_000)
        var shot = Shot(
            id: Samples.shot(), time: time, rigClock: RigClockID(rawValue: "rig-0"),
            wallClock: WallClockPair(monotonic: time, realtimeNanoseconds: 1_795_000_000_000_000_000),
            coordinatorEpoch: Samples.epoch(7), request: request, captures: captures)
        (shot.status, shot.settledAt) = (status, status == .open ? nil : time)
        return shot
    }

    /// A shot whose cameras all missed it for a reason of many words.
    private func largeShot() throws -> Shot {
        shot(
            try (0..<400).map { number in
                var capture = Capture(device: try Samples.status("north/cam\(number)").device)
                capture.phase = .missed
                capture.problem = RigProblem(.notRunning, String(repeating: "because ", count: 1600))
                capture.files[0].outcome = .missed
                return capture
            }, .failed)
    }

    private func get(_ bench: WireBench, _ socket: DealerSocket) async throws -> WireShotDocument {
        var request = WireClientRequest()
        request.getShot.shotID = Samples.shot().wire
        return try await bench.ask(socket, request).shot
    }

    private func page(
        _ bench: WireBench, _ socket: DealerSocket, _ sha256: Data, at offset: Int
    ) async throws -> WireClientReply {
        var request = WireClientRequest()
        (request.getManifest.shotID, request.getManifest.sha256) = (Samples.shot().wire, sha256)
        request.getManifest.offset = UInt64(offset)
        return try await bench.ask(socket, request)
    }

    @Test func `a manifest of more than 4 MiB comes in pages, which together are what the library holds`() async throws
    {
        let shot = try largeShot()
        let bench = try await WireBench { folder in
            try await FolderStore(folder: folder.path + "/library").manifests.create(shot)
        }
        let socket = try await bench.dealer(bench.client)
        let document = try await get(bench, socket)
        #expect(document.status == "failed" && document.revision == 0 && document.manifest.schemaVersion == 2)
        #expect(document.manifest.byteCount > 4 << 20)
        #expect(document.manifest.content.count == WireLimits.manifestPage)
        var content = document.manifest.content
        while content.count < Int(document.manifest.byteCount) {
            let reply = try await page(bench, socket, document.manifest.sha256, at: content.count)
            guard case .manifestPage(let page) = reply.body, !page.content.isEmpty else {
                Issue.record("no page at \(content.count): \(reply.failure.problem)")
                return
            }
            #expect(page.offset == UInt64(content.count) && page.sha256 == document.manifest.sha256)
            content += page.content
        }
        let stored = try Data(contentsOf: URL(filePath: "\(document.library)/\(document.folder)/shot.json"))
        #expect(content == stored)
        #expect(ContentDigest(hashing: Array(content)).wire == document.manifest.sha256)

        let other = ContentDigest(hashing: [1]).wire
        #expect(try await page(bench, socket, other, at: 0).failure.problem.code == "conflict")
        let beyond = try await page(bench, socket, document.manifest.sha256, at: stored.count)
        #expect(beyond.failure.problem.code == "protocolViolation")
        await socket.close()
        await bench.end()
    }

    /// Adds a member to the only manifest in the folder, and writes it in a form that this version does not use.
    private func rewrite(_ folder: TemporaryFolder) throws -> Data {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let name = try #require(names.first { $0.hasSuffix("shot.json") })
        let object = try JSONSerialization.jsonObject(with: Data(folder.read(name)))
        var members = try #require(object as? [String: Any])
        members["ofALaterVersion"] = [1, 2]
        let bytes = try JSONSerialization.data(withJSONObject: members)
        try folder.write(Array(bytes), as: name)
        return bytes
    }

    @Test(arguments: [Shot.Status.complete, .open])
    func `a manifest that another version wrote is given byte for byte`(_ status: Shot.Status) async throws {
        let captures = try status == .open ? [Capture(device: Samples.status("north/cam").device)] : []
        let shot = shot(captures, status)
        var written = Data()
        let bench = try await WireBench { folder in
            try await FolderStore(folder: folder.path + "/library").manifests.create(shot)
            written = try rewrite(folder)
        }
        let socket = try await bench.dealer(bench.client)
        if status == .complete {
            #expect(try await get(bench, socket).manifest.content == written)
        }
        // A repeat of its trigger is answered with it, too; where it was open, with what has become of it since.
        var trigger = WireClientRequest()
        trigger.trigger = TriggerRequest(shot: Samples.shot(), request: request).wire
        var reply = try await bench.ask(socket, trigger)
        while case .progress? = reply.body {
            guard let received = await socket.receive() else { break }
            reply = try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
        }
        let answer = reply.shot
        let isOnDisk = try Data(contentsOf: URL(filePath: "\(answer.library)/\(answer.folder)/shot.json"))
        #expect(answer.manifest.content == isOnDisk && (isOnDisk == written) == (status == .complete), "\(reply)")
        await socket.close()
        await bench.end()
    }
}
