import CaptureTestSupport
import PosixSupport
import SystemClock
import Testing

@testable import DaemonSupport

@Suite(.timeLimit(.minutes(10))) struct HostCheckTests {
    @Test("Accepts a host that has an address", arguments: ["127.0.0.1", "::1", "localhost"])
    func known(host: String) async throws {
        try await HostCheck(time: SystemTimeSource()).check(host, of: "tcp://\(host):7710")
    }

    @Test("Refuses an unknown name with host and endpoint")
    func unknown() async throws {
        let error = await #expect(throws: UnresolvedHost.self) {
            try await HostCheck(time: SystemTimeSource()).check("nobody.invalid", of: "tcp://nobody.invalid:7710")
        }
        #expect(
            error?.description.hasPrefix("the host 'nobody.invalid' of tcp://nobody.invalid:7710 cannot be ") == true)
    }

    @Test("Gives up a silent name server after 3 s")
    func silence() async throws {
        let clock = ManualTimeSource()
        let end = try EventFlag()
        let check = HostCheck(time: clock) { _ in
            _ = end.wait()
            return nil
        }
        let outcome = Task { try await check.check("rig", of: "tcp://rig:7710") }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: HostCheck.patience)
        let error = await #expect(throws: UnresolvedHost.self) { try await outcome.value }
        #expect(error?.reason.hasPrefix("no name server answers within ") == true)
        end.signal()
    }
}
