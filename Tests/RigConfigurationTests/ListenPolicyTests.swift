import RigConfiguration
import Testing

@Suite struct ListenPolicyTests {
    @Test(
        "A rig without keys listens where any machine can reach it",
        arguments: [
            "0.0.0.0", "*", "::", "192.168.1.5", "eth0", "lo", "127.0.0", "127.0.0.1.5", "127.0.0.256", "128.0.0.1", "",
            "localhost.example.org", "127.example.org", "::ffff:10.0.0.1",
        ])
    func exposed(host: String) {
        #expect(throws: ExposedAddress.self) { try ListenPolicy.check(host: host, insecure: false) }
        #expect(throws: Never.self) { try ListenPolicy.check(host: host, insecure: true) }
    }

    @Test(
        "A rig on one machine cannot be started without --insecure",
        arguments: [
            "127.0.0.1", "127.255.0.9", "localhost", "::1", "[::1]",
        ])
    func loopback(host: String) {
        #expect(throws: Never.self) { try ListenPolicy.check(host: host, insecure: false) }
    }
}
