import CaptureModel
import RigConfiguration
import RigSecurity
import Testing

@testable import AgentChannels

/// What the log says of refusals, one after the other.
@Suite struct RefusalNoticeTests {
    private let control = TCPEndpoint(host: "10.0.0.1", port: 7710)

    private func refused(_ sentence: String) -> RefusalCause { .standing(.refused(sentence)) }

    @Test func `Tells each reason once until it changes`() {
        var notice = RefusalNotice()
        #expect(notice.note(refused("the rig does not know it"))?.contains("the rig does not know it") == true)
        #expect(notice.note(refused("the rig does not know it")) == nil)
        #expect(notice.note(refused("it was revoked"))?.contains("it was revoked") == true)
    }

    @Test func `Without an answer, tells what it may be, and keeps a reason that was given`() {
        var notice = RefusalNotice()
        let reason = notice.note(.unknown(control))
        #expect(reason?.contains("or it was revoked") == true && reason?.contains("control channel (7710") == true)
        #expect(notice.note(.unknown(control)) == nil)
        #expect(notice.note(refused("it was revoked")) != nil)
        #expect(notice.note(.unknown(control)) == nil)
    }

    @Test func `Tells that the key is a person's`() throws {
        var notice = RefusalNotice()
        let reason = notice.note(.standing(.admitted(try KeyName("anna"), .operator)))
        #expect(reason?.contains("operator 'anna'") == true)
    }

    @Test func `Of a wrong port, names the right one, and nothing of keys`() {
        var notice = RefusalNotice()
        let client = TCPEndpoint(host: "10.0.0.1", port: 7713)
        let reason = notice.note(.wrongPort(client, control: control)) ?? ""
        #expect(
            reason.contains("\(client)") && reason.contains("to \(control)") && !reason.contains("key"), "\(reason)")
    }

    @Test func `An admission between refusal and question is not a reason`() throws {
        var notice = RefusalNotice()
        #expect(notice.note(.standing(.admitted(try KeyName("left-arm"), .node))) == nil)
    }

    @Test func `After an admission the same reason is told again`() {
        var notice = RefusalNotice()
        _ = notice.note(refused("it was revoked"))
        notice.noteAdmission()
        #expect(notice.note(refused("it was revoked")) != nil)
    }
}
