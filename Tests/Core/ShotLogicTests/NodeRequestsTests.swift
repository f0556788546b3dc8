import CaptureModel
import Testing

@testable import ShotLogic

@Suite struct NodeRequestsTests {
    private func requests(_ connected: String...) throws -> NodeRequests {
        NodeRequests(
            connected: Set(try connected.map { try NodeName($0) }), interval: .milliseconds(500),
            owedFrom: Sample.at(3))
    }

    private func devices(_ names: String...) throws -> [DeviceID] {
        try names.map { try DeviceID($0) }
    }

    @Test func aRequestGoesOnceToEachConnectedNodeInOrderOfName() throws {
        var requests = try requests("a", "c")
        let cameras = try devices("c/cam0", "a/cam1", "b/cam0", "a/cam0")
        let sent = try [prepare("a", "a/cam1", "a/cam0"), prepare("c", "c/cam0")]
        #expect(requests.prepare(cameras, at: Sample.at(0)) == sent)
        #expect(try requests.cancel(cameras) == [cancel("a", "a/cam1", "a/cam0"), cancel("c", "c/cam0")])
    }

    @Test func requestsAreRepeatedOnlyWhileAnUnansweredCameraIsReached() throws {
        var requests = try requests("a")
        let (near, far) = (try devices("a/cam0"), try devices("b/cam0"))
        #expect(requests.nextDeadline(unanswered: near, owing: []) == nil, "nothing was sent")
        #expect(requests.prepare(far, at: Sample.at(0)) == [])
        #expect(requests.nextDeadline(unanswered: near + far, owing: []) == nil, "nobody was reached")
        _ = requests.prepare(near, at: Sample.at(0))
        _ = requests.fire(near, at: Sample.at(0.2))
        #expect(requests.nextDeadline(unanswered: near, owing: []) == Sample.at(0.5), "the first request counts")
        #expect(!requests.isRepetitionDue(to: near, at: Sample.at(0.4)))
        #expect(requests.isRepetitionDue(to: near, at: Sample.at(0.5)))
        #expect(!requests.isRepetitionDue(to: far, at: Sample.at(0.5)))
        requests.disconnect(try NodeName("a"))
        #expect(requests.nextDeadline(unanswered: near, owing: []) == nil)
        requests.connect(try NodeName("a"))
        #expect(requests.isRepetitionDue(to: near, at: Sample.at(0.5)))
        _ = requests.fire(near, at: Sample.at(0.5))
        #expect(requests.nextDeadline(unanswered: near, owing: []) == Sample.at(1))
    }

    @Test func owedFilesAreAskedForFromTheirInstantOnAndFourTimesMoreSlowly() throws {
        var requests = try requests("a")
        let owing = try devices("a/cam0", "b/cam0")
        #expect(requests.nextDeadline(unanswered: [], owing: owing) == Sample.at(3))
        #expect(requests.askForOwed(owing, at: Sample.at(2.9)) == [])
        #expect(try requests.askForOwed(owing, at: Sample.at(3)) == [fire("a", "a/cam0")])
        #expect(requests.askForOwed(owing, at: Sample.at(4.9)) == [])
        #expect(requests.nextDeadline(unanswered: [], owing: owing) == Sample.at(5))
        #expect(try requests.nextDeadline(unanswered: [], owing: devices("b/cam0")) == nil)
    }

    @Test func aLostArmingIsKnownUntilTheCameraIsArmedAgain() throws {
        var requests = try requests("a")
        let camera = try DeviceID("a/cam0")
        requests.lostArming(of: camera)
        #expect(requests.hasLostArming(of: camera))
        requests.armed(camera)
        #expect(!requests.hasLostArming(of: camera))
    }
}
