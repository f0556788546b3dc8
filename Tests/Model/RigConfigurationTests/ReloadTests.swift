import CaptureModel
import RigConfiguration
import Testing

@Suite struct ReloadTests {
    private func configuration(_ text: String) throws -> CoordinatorConfiguration {
        try .parse(text: text, file: "c.yaml")
    }

    @Test func `Each changed key is named with both values, and whether it is taken over`() throws {
        let old = try configuration("library: { folder: /a }\ntrigger: { timeout: 10s }\n")
        let new = try configuration("library: { folder: /b }\ntrigger: { timeout: 5s }\nrig: studio\n")
        let changes = old.changes(to: new)
        #expect(changes.map(\.key) == ["library.folder", "trigger.timeout", "rig"])
        #expect(changes.map(\.isLive) == [false, true, false])
        #expect(changes[0].old == "/a" && changes[0].new == "/b" && changes[2].old == nil)
        #expect(old.changes(to: old).isEmpty)
    }

    @Test func `What is live is taken over, and the rest is named until the restart`() throws {
        let old = CoordinatorConfiguration()
        var new = old
        (new.library.folder, new.library.previews, new.state.folder) = ("/b", false, "/s")
        (new.listen.host, new.listen.basePort, new.audit.limit) = ("*", 8000, .mebibytes(7))
        new.clock.discipline = true
        new.collect.rate = .bytesPerSecond(1_000_000)
        new.library.keep = .init(age: .seconds(86_400), free: .mebibytes(64), onlyCopies: .delete)
        (new.trigger.timeout, new.trigger.maximumAhead) = (.seconds(1), .seconds(2))
        new.trigger.timing = TimingLimits(maxSkew: .milliseconds(1), maxBound: .milliseconds(2))
        let live = old.changes(to: new).filter(\.isLive).map(\.key)
        #expect(Set(live) == CoordinatorConfiguration.liveKeys)
        let reloaded = old.reloading(new)
        #expect(reloaded.changes(to: new).map(\.key) == old.changes(to: new).filter { !$0.isLive }.map(\.key))
        #expect(reloaded.collect == new.collect && reloaded.trigger == new.trigger)
    }
}
