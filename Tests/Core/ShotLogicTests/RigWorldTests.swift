import CaptureModel
import CaptureTestSupport
import ShotLogic
import Testing

@Suite struct RigWorldTests {
    @Test(arguments: 0..<20) func everyCaptureIsOnePictureOrAnHonestFailureThroughLossesAndKills(seed: UInt64) throws {
        for round in 0..<20 {
            var world = try RigWorld(
                seed: seed &* 100 &+ UInt64(round), requireAll: round % 4 == 0,
                livePhoto: [nil, .whereEnabled, .required][round % 3])
            try trouble(&world)
            try calm(&world)
            try checkEnd(world)
        }
    }

    @Test func withoutFaultsEveryShotIsComplete() throws {
        for seed in 0..<50 {
            var world = try RigWorld(
                seed: UInt64(seed), requireAll: seed % 2 == 0, livePhoto: seed % 3 == 0 ? nil : .whereEnabled)
            world.isCalm = true
            try world.run(until: Sample.at(20))
            #expect(world.journal?.status == .complete)
            #expect(world.answers == 1)
        }
    }

    private func trouble(_ world: inout RigWorld) throws {
        for _ in 0..<Int.random(in: 0...4, using: &world.generator) {
            guard let name = world.nodes.keys.sorted().randomElement(using: &world.generator) else { continue }
            world.schedule(in: 0...3000, .killNode(name))
        }
        for _ in 0..<Int.random(in: 0...2, using: &world.generator) {
            world.schedule(in: 0...3000, .killCoordinator)
        }
        try world.run(until: Sample.at(12))
    }

    /// Everything runs, nothing more is lost, and every node says hello a few times.
    private func calm(_ world: inout RigWorld) throws {
        world.isCalm = true
        for round in 0..<4 {
            for name in world.nodes.keys.sorted() { try world.connect(name) }
            try world.run(until: Sample.at(20 + Double(round) * 10))
        }
    }

    private func checkEnd(_ world: RigWorld) throws {
        // A coordinator killed before its first manifest never had the shot.
        guard let shot = world.journal else {
            #expect(world.library.isEmpty && world.nodes.values.allSatisfy { $0.spool.isEmpty })
            return
        }
        #expect(world.machine?.isFinished == true)
        #expect(shot.status != .open && world.answers >= 1)
        for capture in shot.captures {
            let device = capture.device.id
            let key = CaptureKey(shot: shot.id, device: device)
            let spooled = world.nodes[device.node]?.spool[device]
            let isCancelled = capture.problem?.code == .cancelled
            for file in capture.files {
                let stored = world.library[FileKey(capture: key, kind: file.kind)]
                #expect((file.outcome == .done || file.outcome == .late) == (stored != nil), "\(capture)")
                #expect(stored == nil || file.digest == stored)
            }
            #expect(capture.phase != .done || capture.files.allSatisfy { $0.path != nil })
            #expect(capture.phase != .partial || capture.files[0].path != nil)
            #expect(spooled == nil || isCancelled, "\(device) is \(capture.phase) and still lies in the spool")
        }
    }
}

/// A shot of which one camera has a raw file.
@Suite struct RawTests {
    private let lost = RigProblem(.unsupportedSettings, "a/cam0: RAW is not possible: not enabled")

    private func shot() throws -> Shot {
        var shot = try Sample.shot(["a/cam0", "a/cam1"])
        shot.request.settings.raw = .withPhotoWhereEnabled
        shot.captures[0].files.append(CapturedFile(kind: .alternatePhoto))
        return shot
    }

    @Test func aCameraThatLosesItsRawFileKeepsItsPhotoAndHasFailedForTheFile() throws {
        var desk = Desk(taking: try shot())
        desk.send(.begin)
        var plain = Sample.resolved
        plain.rawProblem = lost
        desk.send(.armed(try DeviceID("a/cam0"), plain))
        try desk.arm("a/cam1")
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo, .alternatePhoto])
        var report = try Sample.report(desk.shot, "a/cam0")
        report.resolved = plain
        desk.send(.captured(report), at: 1.1)
        try desk.capture("a/cam1")
        try desk.store("a/cam0")
        try desk.store("a/cam1")
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.phase == .partial && capture.problem == lost)
        #expect(capture.files.map(\.outcome) == [.done, .failed] && capture.files[1].problem == lost)
        #expect(try desk.capture(of: "a/cam1").phase == .done)
        #expect(desk.shot.status == .partial && desk.answers == [desk.shot])
    }
}

@Suite struct ShotConflictTests {
    @Test func aRepeatedRequestIsTheSameShotAndAnotherIsRefusedByWhatDiffers() throws {
        let shot = try Sample.shot(["a/cam0"])
        #expect(shot.conflict(with: shot.request) == nil)
        var other = shot.request
        other.requireAll = true
        other.time = .relative(nanoseconds: 5)
        let problem = try #require(shot.conflict(with: other))
        #expect(problem.code == .conflict)
        #expect(problem.message.contains("time and require-all"))
    }
}

/// The id of a shot, beside the example of RFC 9562, appendix A.6.
struct ShotIDTests {
    private let example = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    @Test func `the example of the RFC is read in either case, and written as it was`() throws {
        let id = try #require(ShotID(example.uppercased()))
        #expect(id == ShotID(example) && id.description == example)
        #expect(id.unixMilliseconds == 1_645_557_742_000)
        #expect(id.bytes.prefix(8) == [0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0, 0x7C, 0xC3])
        #expect(id.bytes.suffix(8) == [0x98, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F])
        #expect(ShotID(bytes: id.bytes) == id)
    }

    @Test(arguments: [
        "", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "+17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3--8c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "017f22e2-79b0-7cc3-98c4-dc0c0c0739é",
    ])
    func `what is not a UUIDv7 is not an id`(text: String) {
        #expect(ShotID(text) == nil)
    }

    @Test func `bytes that are too many, too few or of another version are not an id`() throws {
        let bytes = try #require(ShotID(example)).bytes
        #expect(ShotID(bytes: bytes.dropLast()) == nil && ShotID(bytes: bytes + [0]) == nil)
        for (index, bits) in [(6, 0x80), (8, 0x40)] {
            var other = bytes
            other[index] ^= UInt8(bits)
            #expect(ShotID(bytes: other) == nil)
        }
    }

    @Test func `fresh ids sort by their time, in text as in bytes, and come back from both`() {
        var generator = SeededGenerator(seed: 7)
        let ids = (0..<200).map { ShotID(unixMilliseconds: 1 << ($0 % 48), using: &generator) }
        for id in ids { #expect(ShotID(id.description) == id && ShotID(bytes: id.bytes) == id) }
        #expect((0..<200).allSatisfy { ids[$0].unixMilliseconds == 1 << ($0 % 48) })
        #expect(Set(ids).count == ids.count)
        #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
        #expect(ids.sorted() == ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) })
    }
}
