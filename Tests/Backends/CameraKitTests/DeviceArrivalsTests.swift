import CameraKit
import PosixSupport
import Testing

@testable import CameraKit

@Suite(.timeLimit(.minutes(10))) struct DeviceArrivalsTests {
    private func event(_ action: String, name: String? = "video0") -> DeviceEvent {
        DeviceEvent(action: action, subsystem: "video4linux", name: name, path: "/devices/x", isSettled: false)
    }

    @Test("Wakes waiting sessions when a camera arrives or is permitted")
    func actions() {
        #expect(["add", "change", "bind"].allSatisfy { DeviceArrivals.isArrival(event($0)) })
        #expect(!DeviceArrivals.isArrival(event("remove")))
        #expect(!DeviceArrivals.isArrival(event("add", name: nil)))
    }

    @Test("Wakes every waiting session, also a late one")
    func everybody() async {
        let arrivals = DeviceArrivals()
        let streams = [arrivals.stream(), arrivals.stream()]
        arrivals.announce()
        arrivals.announce()
        for stream in streams {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }
    }

    @Test("Forgets a session that has ended")
    func ended() async {
        let arrivals = DeviceArrivals()
        let waiting = Task { [stream = arrivals.stream()] in
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        waiting.cancel()
        #expect(await waiting.value == 0)
        arrivals.announce()
    }
}
