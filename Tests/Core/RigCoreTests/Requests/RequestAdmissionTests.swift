import RigTestSupport
import Testing

@testable import RigCore

@Suite struct RequestAdmissionTests {
    private let anna = Samples.requester(1)
    private let ben = Samples.requester(2)
    private let cid = Samples.requester(3)

    @Test(arguments: [AnswerSource.assets, .pictures])
    func `bounds the reads of one requester and of all, and counts those that are refused`(_ source: AnswerSource) {
        var admission = RequestAdmission()
        for requester in [anna, ben] {
            for _ in 0..<RequestAdmission.readLimitOfRequester {
                #expect(admission.refusal(source, by: requester) == nil)
            }
            #expect(admission.refusal(source, by: requester)?.contains("for one client") == true)
        }
        #expect(admission.refusal(source, by: cid) != nil, "all places are taken")
        #expect(admission.refused(source) == 3)
        admission.end(source, by: anna)
        #expect(admission.refusal(source, by: ben) != nil, "it has as many as one may have")
        #expect(admission.refusal(source, by: cid) == nil)
        #expect(admission.refusal(source, by: anna) != nil)
    }

    @Test func `requests of one kind take no place from another`() {
        var admission = RequestAdmission()
        for _ in 0..<RequestAdmission.limit { #expect(admission.refusal(.disk, by: anna) == nil) }
        #expect(admission.refusal(.disk, by: anna) != nil)
        for source in [AnswerSource.memory, .nodes, .assets, .pictures] {
            #expect(admission.refusal(source, by: anna) == nil)
        }
        admission.end(.disk, by: anna)
        #expect(admission.refusal(.disk, by: ben) == nil)
        #expect(admission.refused(.assets) == 0)
    }

    @Test func `a place is given up once, by hand or with the last who holds it`() {
        let ends = Counter()
        var request: AdmittedRequest? = AdmittedRequest { ends.count += 1 }
        request?.end()
        request?.end()
        request = nil
        #expect(ends.count == 1)
        request = AdmittedRequest { ends.count += 1 }
        request = nil
        #expect(ends.count == 2)
    }

    /// Touched by the test's own thread only.
    private final class Counter: @unchecked Sendable {
        var count = 0
    }
}
