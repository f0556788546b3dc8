import PosixSupport
import Testing

@Suite struct HostAddressesTests {
    @Test(
        "An address is the same in numbers however it is written",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0:0:0:0:0:0:0:1", "::1"), ("::", "::"),
            ("FD00::0001", "fd00::1"),
        ])
    func written(host: String, expected: String) throws {
        #expect(try HostAddresses.of(host) == [expected])
    }

    @Test("This machine's own name for itself has addresses of loopback")
    func localhost() throws {
        let addresses = try HostAddresses.of("localhost")
        #expect(!addresses.isEmpty && addresses.allSatisfy { $0 == "127.0.0.1" || $0 == "::1" })
        #expect(addresses.contains(where: HostAddresses.isOwn))
    }

    @Test("Text that is no host is refused with the system's words", arguments: ["", "1.2.3.4:5", "a b", "::1::"])
    func unknown(host: String) {
        let error = #expect(throws: UnknownHost.self) { try HostAddresses.of(host) }
        #expect(error?.reason.isEmpty == false && error?.description.contains("'\(host)'") == true)
    }

    @Test("An address of another machine is not taken for one of this machine")
    func own() {
        #expect(HostAddresses.isOwn("127.0.0.1") && HostAddresses.isOwn("127.9.9.9") && HostAddresses.isOwn("0.0.0.0"))
        // Reserved for documentation.
        #expect(!HostAddresses.isOwn("192.0.2.1") && !HostAddresses.isOwn("2001:db8::1") && !HostAddresses.isOwn("rig"))
        if let reachable = ReachableAddress.ofThisMachine() {
            #expect(HostAddresses.isOwn(reachable) && !reachable.hasPrefix("127.") && reachable != "::1")
        }
        #expect(HostAddresses.isInterface("lo") && !HostAddresses.isInterface("localhost"))
    }
}
