import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import RigClient
import RigProtocol
import RigWire
import ShotDocuments
import Testing

@Suite(.timeLimit(.minutes(10))) struct ManifestTests {
    private let id: ShotID

    init() {
        var generator = SeededGenerator(seed: 1)
        id = ShotID(unixMilliseconds: 1_800_000_000_000, using: &generator)
    }

    private func manifest(revision: Int) throws -> StoredManifest {
        var shot = Shot(
            id: id, time: RigTime(nanoseconds: 5), rigClock: RigClockID(rawValue: "clock"),
            wallClock: WallClockPair(monotonic: RigTime(nanoseconds: 0), realtimeNanoseconds: 1),
            coordinatorEpoch: .random(), request: ShotRequest(selection: Selection()), captures: [])
        shot.revision = revision
        return try StoredManifest(writing: shot)
    }

    /// A library that holds `current`, told in pages of 100 bytes.
    private static func answer(
        _ request: WireClientRequest.OneOf_Body, _ current: StoredManifest
    ) -> FakeCoordinator.Body {
        switch request {
        case .getManifest(let get) where get.sha256 == current.digest.wire:
            var page = WireManifestPage()
            (page.shotID, page.sha256, page.offset) = (get.shotID, get.sha256, get.offset)
            page.content = Data(current.bytes[Int(get.offset)...].prefix(100))
            return .manifestPage(page)
        case .getManifest:
            var failure = WireFailure()
            failure.problem = RigProblem(.conflict, "it is another one").wire
            return .failure(failure)
        default: return .shot(WireShotDocument(current, page: 100))
        }
    }

    @Test func `pages are joined to the document that the coordinator holds`() async throws {
        let bench = try Bench()
        let manifest = try manifest(revision: 1)
        let coordinator = try await bench.coordinator { [Self.answer($0, manifest)] }
        try await bench.client.connect(to: coordinator.endpoint)
        #expect(try await bench.client.manifest(id).bytes == manifest.bytes)
        #expect(try await bench.client.shot(id).shot == manifest.shot)
        var answered: Shot?
        let order = TriggerRequest(shot: id, request: manifest.shot.request)
        for try await case .answered(let located) in bench.client.trigger(order) { answered = located.shot }
        #expect(answered == manifest.shot)
        await coordinator.stop()
    }

    @Test func `pages of two revisions are never joined`() async throws {
        let bench = try Bench()
        let (first, second) = (try manifest(revision: 1), try manifest(revision: 2))
        let isReplaced = Observed(false)
        let coordinator = try await bench.coordinator { request in
            // The second page is of the next revision.
            if case .getManifest(let get) = request, get.offset == 200 { isReplaced.change { $0 = true } }
            return [Self.answer(request, isReplaced.value ? second : first)]
        }
        try await bench.client.connect(to: coordinator.endpoint)
        #expect(try await bench.client.manifest(id).bytes == second.bytes)
        await coordinator.stop()
    }

    @Test func `a manifest that is replaced again and again ends with an error`() async throws {
        let bench = try Bench()
        let manifests = try (0..<100).map { try manifest(revision: $0) }
        let number = Observed(0)
        let coordinator = try await bench.coordinator { request in
            if case .getManifest = request { number.change { $0 += 1 } }
            return [Self.answer(request, manifests[number.value])]
        }
        try await bench.client.connect(to: coordinator.endpoint)
        #expect(await failure { _ = try await bench.client.manifest(id) } == .refused("conflict"))
        await coordinator.stop()
    }

    @Test func `a document that is not what its digest and size say is not believed`() async throws {
        let manifest = try manifest(revision: 1)
        let whole = WireShotDocument(manifest)
        let changes: [@Sendable (inout WireShotDocument) -> Void] = [
            { $0.manifest.content[10] ^= 1 }, { $0.manifest.sha256 = Data(repeating: 1, count: 32) },
            { $0.manifest.byteCount -= 1 }, { $0.manifest.byteCount = 0 }, { $0.manifest.byteCount = .max },
            { $0.status = "failed" }, { $0.revision = 7 }, { $0.clearManifest() },
        ]
        for (index, change) in changes.enumerated() {
            let bench = try Bench()
            var document = whole
            change(&document)
            let reply = FakeCoordinator.Body.shot(document)
            let coordinator = try await bench.coordinator { _ in [reply] }
            try await bench.client.connect(to: coordinator.endpoint)
            #expect(await failure { _ = try await bench.client.shot(id) } == .malformedReply, "case \(index)")
            await coordinator.stop()
        }
    }

    @Test func `a page that was not asked for is not believed`() async throws {
        let manifest = try manifest(revision: 1)
        let changes: [@Sendable (inout WireManifestPage) -> Void] = [
            { $0.offset += 1 }, { $0.content = Data() }, { $0.sha256 = Data() }, { $0.shotID = Data() },
            { $0.content = Data(repeating: 0, count: 1 << 20) },
        ]
        for (index, change) in changes.enumerated() {
            let bench = try Bench()
            let coordinator = try await bench.coordinator { request in
                guard case .manifestPage(var page) = Self.answer(request, manifest) else {
                    return [Self.answer(request, manifest)]
                }
                change(&page)
                return [.manifestPage(page)]
            }
            try await bench.client.connect(to: coordinator.endpoint)
            #expect(await failure { _ = try await bench.client.shot(id) } == .malformedReply, "case \(index)")
            await coordinator.stop()
        }
    }
}

extension WireShotDocument {
    /// The answer about a shot.
    init(_ stored: StoredManifest, page: Int = .max) {
        self.init()
        (shotID, status, revision) = (stored.shot.id.wire, stored.shot.status.rawValue, UInt64(stored.shot.revision))
        (folder, library) = ("2026/11/21/x", "/library")
        (manifest.schemaVersion, manifest.byteCount) = (2, UInt64(stored.bytes.count))
        (manifest.sha256, manifest.content) = (stored.digest.wire, Data(stored.bytes.prefix(page)))
    }
}
