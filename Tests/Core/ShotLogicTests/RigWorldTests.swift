import CaptureModel
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

    /// Everything runs, nothing is lost any more, and every node says hello a few times.
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
