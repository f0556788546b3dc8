import CaptureModel
import RigSecurity
import Testing

@testable import AgentChannels

/// What the log says of refusals, one after the other.
@Suite struct RefusalNoticeTests {
    @Test func `Tells each reason once until it changes`() {
        var notice = RefusalNotice()
        #expect(notice.note(.refused("the rig does not know it"))?.contains("the rig does not know it") == true)
        #expect(notice.note(.refused("the rig does not know it")) == nil)
        #expect(notice.note(.refused("it was revoked"))?.contains("it was revoked") == true)
    }

    @Test func `Without an answer, tells what it may be, and keeps a reason that was given`() {
        var notice = RefusalNotice()
        #expect(notice.note(nil)?.contains("or it was revoked") == true)
        #expect(notice.note(nil) == nil)
        #expect(notice.note(.refused("it was revoked")) != nil)
        #expect(notice.note(nil) == nil)
    }

    @Test func `Tells that the key is a person's`() throws {
        var notice = RefusalNotice()
        let reason = notice.note(.admitted(try KeyName("anna"), .operator))
        #expect(reason?.contains("operator 'anna'") == true)
    }

    @Test func `An admission between refusal and question is not a reason`() throws {
        var notice = RefusalNotice()
        #expect(notice.note(.admitted(try KeyName("left-arm"), .node)) == nil)
    }

    @Test func `After an admission the same reason is told again`() {
        var notice = RefusalNotice()
        _ = notice.note(.refused("it was revoked"))
        notice.noteAdmission()
        #expect(notice.note(.refused("it was revoked")) != nil)
    }
}
