import CaptureModel
import FoundationEssentials
import KeyFiles
import RigAccess
import RigProtocol
import RigSecurity
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorChannels

/// Requests that a gateway makes in the name of sessions.
@Suite(.timeLimit(.minutes(10))) struct ForwardedRequestTests {
    private struct Rig {
        let bench: KeyedBench
        let anna: DealerSocket
        let gateway: DealerSocket

        init() async throws {
            bench = try await KeyedBench()
            anna = try await bench.dealer(try await bench.admit("anna", .operator), .client)
            gateway = try await bench.dealer(try await bench.admit("web", .dashboard), .client)
        }

        /// A token of Anna's.
        func token(_ permissions: [String]) async throws -> WireIssuedSession {
            var issue = WireIssueSession()
            (issue.kind, issue.label, issue.permissions) = ("token", "script", permissions)
            issue.validityNs = 3_600_000_000_000
            return try await bench.ask(anna, .issueSession(issue)).issuedSession
        }

        func forward(
            _ body: WireClientRequest.OneOf_Body, _ secret: Data, by socket: DealerSocket? = nil
        ) async throws -> WireClientReply {
            try await bench.ask(socket ?? gateway, body, session: secret)
        }
    }

    private var trigger: WireClientRequest.OneOf_Body {
        .trigger(
            TriggerRequest(shot: Samples.shot(), request: ShotRequest(selection: Selection())).wire)
    }

    @Test func `A request with a session is made in the name of its maker, with what session and role permit`()
        async throws
    {
        let rig = try await Rig()
        let token = try await rig.token(["view", "trigger"])
        let identity = try await rig.forward(.getIdentity(.init()), token.secret).identity
        #expect(identity.principal == "anna" && identity.permissions == ["view", "trigger"])
        #expect(identity.gateway == "web" && identity.session.id == token.session.id)
        // There is no camera, so it is not refused for want of a permission.
        #expect(try await rig.forward(trigger, token.secret).failure.problem.code == "emptySelection")
        #expect(try await rig.forward(.listKeys(.init()), token.secret).failure.problem.code == "notPermitted")
        #expect(try await rig.forward(.listShots(.init()), token.secret).failure.problem.code == "notPermitted")
        await rig.bench.end()
    }

    @Test func `A hold through a gateway is its maker's, who goes on with it by any other way`() async throws {
        let rig = try await Rig()
        let token = try await rig.token(["view", "trigger"])
        let take = WireClientRequest.OneOf_Body.takeHold(HoldRequest(duration: .seconds(600), note: "light").wire)
        #expect(try await rig.forward(take, Data()).failure.problem.code == "notPermitted", "not the gateway's")
        let hold = try await rig.forward(take, token.secret).hold.hold
        #expect(hold.holder == "anna" && hold.authenticated && hold.note == "light")
        #expect(try await rig.bench.ask(rig.anna, take).hold.hold.takenRigNs == hold.takenRigNs)
        let ben = try await rig.bench.dealer(try await rig.bench.admit("ben", .operator), .client)
        for body in [take, trigger, .releaseHold(.init())] {
            let refused = try await rig.bench.ask(ben, body).failure.problem
            #expect(refused.code == "held" && refused.message.contains("anna holds the rig (light) until"))
        }
        #expect(try await rig.bench.ask(ben, .getStatus(.init())).status.hold.holder == "anna")
        var override = WireReleaseHold()
        override.overrides = "anna"
        #expect(try await rig.bench.ask(ben, .releaseHold(override)).failure.problem.code == "notPermitted")
        let admin = try await rig.bench.dealer(try AdminKey(in: rig.bench.adminFolder).load().pair, .client)
        #expect(try await !rig.bench.ask(admin, .releaseHold(override)).hold.hasHold)
        #expect(try await rig.bench.ask(ben, trigger).failure.problem.code == "emptySelection")
        await rig.bench.end()
    }

    @Test func `A gateway's own key triggers nothing, and other keys forward nothing`() async throws {
        let rig = try await Rig()
        #expect(try await rig.forward(trigger, Data()).failure.problem.code == "notPermitted")
        let token = try await rig.token(["view", "trigger"])
        let refused = try await rig.forward(trigger, token.secret, by: rig.anna)
        #expect(refused.failure.problem.code == "notPermitted")
        await rig.bench.end()
    }

    @Test func `A status has the devices if they are asked for, and needs the permission to view`() async throws {
        let rig = try await Rig()
        let (viewer, reader) = (try await rig.token(["view"]), try await rig.token(["read"]))
        var get = WireGetStatus()
        #expect(try await !rig.forward(.getStatus(get), viewer.secret).status.hasDeviceList)
        get.withDevices = true
        let status = try await rig.forward(.getStatus(get), viewer.secret).status
        let devices = try await rig.forward(.listDevices(.init()), viewer.secret).deviceList
        #expect(status.hasDeviceList && status.deviceList.devices.count == devices.devices.count)
        #expect(try await rig.forward(.getStatus(get), reader.secret).failure.problem.code == "notPermitted")
        await rig.bench.end()
    }

    @Test func `A session that has ended, or was never made, is refused as such`() async throws {
        let rig = try await Rig()
        let token = try await rig.token(["view"])
        var end = WireEndSession()
        end.id = token.session.id
        #expect(try await rig.bench.ask(rig.anna, .endSession(end)).endedSession.id == token.session.id)
        for secret in [token.secret, Data(SessionSecret().bytes), Data([1])] {
            let reply = try await rig.forward(.getStatus(.init()), secret)
            #expect(reply.failure.problem.code == "sessionEnded")
            #expect(reply.failure.problem.message.contains("capctl web login"))
        }
        await rig.bench.end()
    }

    @Test func `Revoking the key of its maker ends a session`() async throws {
        let rig = try await Rig()
        let token = try await rig.token(["view"])
        _ = try await rig.bench.keys.access.revoke("anna", by: .coordinator)
        // To end hers, all connections are made again; what is sent before they exist is lost.
        var handshakes = 0
        for await event in rig.gateway.connectionEvents where event.kind == .handshakeSucceeded {
            handshakes += 1
            if handshakes == 2 { break }
        }
        #expect(try await rig.forward(.getStatus(.init()), token.secret).failure.problem.code == "sessionEnded")
        await rig.bench.end()
    }

    @Test func `A gateway turns a link into a session once`() async throws {
        let rig = try await Rig()
        var issue = WireIssueSession()
        (issue.kind, issue.label, issue.permissions, issue.validityNs) = ("link", "phone", ["view"], 60_000_000_000)
        var redeem = WireRedeemLink()
        redeem.secret = try await rig.bench.ask(rig.anna, .issueSession(issue)).issuedSession.secret
        #expect(
            try await rig.forward(.getStatus(.init()), redeem.secret).failure.problem.code == "sessionEnded",
            "a link is not a session")
        let session = try await rig.bench.ask(rig.gateway, .redeemLink(redeem)).issuedSession
        #expect(session.session.kind == "browser")
        #expect(try await rig.forward(.getIdentity(.init()), session.secret).identity.principal == "anna")
        #expect(try await rig.bench.ask(rig.gateway, .redeemLink(redeem)).failure.problem.code == "conflict")
        await rig.bench.end()
    }

    @Test func `A session makes no further one, which would outlast it`() async throws {
        let rig = try await Rig()
        let token = try await rig.token(["view"])
        var issue = WireIssueSession()
        (issue.kind, issue.label, issue.permissions, issue.validityNs) = ("token", "longer", ["view"], 60_000_000_000)
        #expect(try await rig.forward(.issueSession(issue), token.secret).failure.problem.code == "notPermitted")
        await rig.bench.end()
    }

    @Test func `Everybody lists his own sessions, and an administrator all`() async throws {
        let rig = try await Rig()
        let token = try await rig.token(["view"])
        let admin = try await rig.bench.dealer(try AdminKey(in: rig.bench.adminFolder).load().pair, .client)
        #expect(try await rig.bench.ask(rig.gateway, .listSessions(.init())).sessionList.sessions.isEmpty)
        for socket in [rig.anna, admin] {
            let listed = try await rig.bench.ask(socket, .listSessions(.init())).sessionList.sessions
            #expect(listed.map(\.id) == [token.session.id] && listed.first?.maker.name == "anna")
        }
        await rig.bench.end()
    }

    @Test func `The audit log names the maker, the gateway and the session`() async throws {
        let rig = try await Rig()
        let token = try await rig.token(["view", "trigger"])
        _ = try await rig.forward(trigger, token.secret)
        var read = WireReadAudit()
        read.file = 1
        let admin = try await rig.bench.dealer(try AdminKey(in: rig.bench.adminFolder).load().pair, .client)
        var records: [Substring] = []
        while !records.contains(where: { $0.contains("triggerShot") }) {
            let part = try await rig.bench.ask(admin, .readAudit(read)).auditPart
            records = String(decoding: part.data, as: UTF8.self).split(separator: "\n")
        }
        let record = try #require(records.last { $0.contains("triggerShot") })
        for word in ["\"gateway\":\"web\"", "\"session\":\"\(token.session.id)\"", "\"principal\":\"anna\""] {
            #expect(record.contains(word), "\(record)")
        }
        let begun = try #require(records.last { $0.contains("\"means\":\"token\"") })
        #expect(begun.contains("\"kind\":\"admission\"") && begun.contains("\"label\":\"script\""))
        await rig.bench.end()
    }
}
