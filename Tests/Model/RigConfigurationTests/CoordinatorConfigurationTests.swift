import RigConfiguration
import Testing

@Suite struct CoordinatorConfigurationTests {
    @Test("A coordinator's setting is read and lost")
    func everyKey() throws {
        let text = """
            library: { folder: /l, previews: false }
            state: { folder: /s }
            listen: { host: "*", basePort: 0 }
            collect: { rate: 1.25 MB/s }
            trigger: { timeout: 1 min, maximumAhead: 500 ms }
            """
        let coordinator = try CoordinatorConfiguration.parse(text: text, file: "coordinator.yaml")
        #expect(coordinator.library.folder == "/l" && coordinator.stateFolder == "/s")
        #expect(!coordinator.library.previews)
        #expect(coordinator.listen.host == "*" && coordinator.listen.basePort == 0)
        #expect(coordinator.collect.rate == .bytesPerSecond(1_250_000))
        #expect(coordinator.trigger.timeout == .seconds(60))
        #expect(coordinator.trigger.maximumAhead == .milliseconds(500))
    }

    @Test("The state does not follow the library when that is moved")
    func stateFollowsLibrary() {
        var coordinator = CoordinatorConfiguration()
        #expect(coordinator.stateFolder == "/var/lib/caprig/library/.caprig")
        coordinator.library.folder = "/elsewhere/"
        #expect(coordinator.stateFolder == "/elsewhere/.caprig")
    }

    @Test(
        "A mistake in a coordinator's configuration is told wrongly or not at all",
        arguments: [
            Faulty("libary: { folder: /l }", .unknownKey, "libary", "did you mean 'library'?"),
            Faulty("listen: { port: 7710 }", .unknownKey, "listen.port", "basePort"),
            Faulty("listen: { basePort: 65532 }", .badValue, "listen.basePort", "65531"),
            Faulty("listen: { host: 'a b' }", .badValue, "listen.host", "host name"),
            Faulty("collect: { rate: fast }", .badValue, "collect.rate", "'unlimited'"),
            Faulty("collect: { rate: 40 MB }", .badValue, "collect.rate", "unknown unit 'MB'"),
            Faulty("collect: { rate: 0 MB/s }", .badValue, "collect.rate", "less than 1 kB/s"),
            Faulty("trigger: { timeout: 2 days }", .badValue, "trigger.timeout", "unknown unit"),
            Faulty("trigger: { maximumAhead: 2 h }", .badValue, "trigger.maximumAhead", "not within"),
            Faulty("library: /l", .wrongType, "library", "must be a mapping"),
        ])
    func problems(faulty: Faulty) { faulty.check(Text.problems(ofCoordinator: faulty.text)) }
}
