import CaptureModel
import Testing

@testable import NodeCore

/// A camera's abilities as they are read twice a second, and what is published of them.
private struct GaugeBench {
    var gauge = AbilityGauge()
    var now = LocalTime(nanoseconds: 1_000_000_000)
    var session = SessionCondition(phase: .running, readiness: .ready, abilities: allowed)

    static var allowed: SessionAbilities {
        SessionAbilities(
            photo: .allowed, live: .allowed, record: .allowed, switchInput: .allowed, largerPhoto: .allowed,
            raw: .allowed,
            flash: .allowed)
    }

    /// Reads the abilities so many times; returns what is published: `raw` or `raw: reason`.
    mutating func read(_ count: Int = 1) -> [String] {
        (0..<count).flatMap { _ in
            now = now + AbilityWatch.interval
            return gauge.update(session, at: now).map { change in
                change.name + (change.ability.reason.map { ": \($0)" } ?? "")
            }
        }
    }

    /// A bench whose abilities are published.
    static func settled() -> GaugeBench {
        var bench = GaugeBench()
        _ = bench.read(2)
        return bench
    }
}

@Suite struct AbilityGaugeTests {
    @Test("Publishes each ability once after the start")
    func start() {
        var bench = GaugeBench()
        #expect(bench.read() == [])
        #expect(bench.read(20) == ["photo", "live", "record", "switchInput", "largerPhoto", "raw", "flash"])
    }

    @Test("Publishes an ability that is lost, with its reason, and that it is back")
    func lost() {
        var bench = GaugeBench.settled()
        bench.session.abilities.raw = .refused("not enabled")
        #expect(bench.read(5) == ["raw: not enabled"])
        bench.session.abilities.raw = .allowed
        #expect(bench.read(5) == ["raw"])
        let change = AbilityGauge.Change(name: "raw", ability: .refused("not enabled"))
        #expect(change.details == ["ability": "raw", "available": "false", "reason": "not enabled"])
        #expect(AbilityGauge.Change(name: "raw", ability: .allowed).details == ["ability": "raw", "available": "true"])
    }

    @Test("Publishes nothing that lasts for one reading only")
    func moment() {
        var bench = GaugeBench.settled()
        for _ in 0..<10 {
            bench.session.abilities.largerPhoto = .refused("a capture is under way")
            #expect(bench.read() == [])
            bench.session.abilities.largerPhoto = .allowed
            #expect(bench.read() == [])
        }
    }

    @Test("Publishes a reason with figures at most every ten seconds")
    func reasons() {
        var bench = GaugeBench.settled()
        var published: [String] = []
        for free in 0..<60 {
            bench.session.abilities.photo = .refused("\(free) bytes are free")
            published += bench.read()
        }
        #expect(published == ["photo: 1 bytes are free", "photo: 21 bytes are free", "photo: 41 bytes are free"])
        bench.session.abilities.photo = .allowed
        #expect(bench.read(3) == ["photo"], "a loss or return does not wait")
    }

    @Test(
        "Publishes nothing that captures take away until they have ended",
        arguments: [CaptureReadiness.waitingForCapture, .waitingForProcessing])
    func capturing(readiness: CaptureReadiness) {
        var bench = GaugeBench.settled()
        bench.session.abilities.flash = .refused("captures are under way")
        bench.session.readiness = readiness
        #expect(bench.read(20) == [])
        (bench.session.readiness, bench.session.livePhotosInProgress) = (.ready, 1)
        #expect(bench.read(20) == [])
        bench.session.phase = .interrupted
        bench.session.abilities.flash = .refused("it is absent")
        #expect(bench.read(3) == ["flash: it is absent"], "a camera that is unplugged")
    }
}
