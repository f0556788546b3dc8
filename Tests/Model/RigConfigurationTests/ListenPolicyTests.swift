import RigConfiguration
import Testing

@Suite struct ListenPolicyTests {
    @Test(
        "An address that other machines reach needs --insecure",
        arguments: [
            "0.0.0.0", "*", "::", "192.168.1.5", "eth0", "lo", "127.0.0", "127.0.0.1.5", "127.0.0.256", "128.0.0.1", "",
            "localhost.example.org", "127.example.org", "::ffff:10.0.0.1", "fd00::1", "::10",
        ])
    func exposed(address: String) {
        let error = #expect(throws: ExposedAddress.self) {
            try ListenPolicy.check(host: "rig", address: address, insecure: false)
        }
        #expect(error?.description.contains("'rig'") == true)
        #expect(throws: Never.self) { try ListenPolicy.check(host: "rig", address: address, insecure: true) }
    }

    @Test("An address of loopback needs no option", arguments: ["127.0.0.1", "127.255.0.9", "::1"])
    func loopback(address: String) {
        #expect(throws: Never.self) { try ListenPolicy.check(host: "rig", address: address, insecure: false) }
    }

    @Test(
        "A host to listen on is a name, an address with or without brackets, or *",
        arguments: [
            ("*", "*"), ("::1", "::1"), ("[::1]", "::1"), ("localhost", "localhost"), ("fe80::1%eth0", "fe80::1%eth0"),
            ("192.168.10.1", "192.168.10.1"), ("rig-1.example.org", "rig-1.example.org"),
            ("", nil), ("[]", nil), ("[rig]", nil), ("[::1", nil), ("tcp://10.0.0.1", nil), ("a b", nil), ("**", nil),
        ])
    func hosts(text: String, expected: String?) {
        #expect(ListenHost.parse(text) == expected)
    }
}
