import CaptureModel
import ShotLogic
import Testing

@Suite struct ShotConflictTests {
    @Test func aRepeatedRequestIsTheSameShotAndAnotherIsRefusedByWhatDiffers() throws {
        let shot = try Sample.shot(["a/cam0"])
        #expect(shot.conflict(with: shot.request) == nil)
        var other = shot.request
        other.requireAll = true
        other.time = .relative(nanoseconds: 5)
        let problem = try #require(shot.conflict(with: other))
        #expect(problem.code == .conflict)
        #expect(problem.message.contains("time and require-all"))
    }
}
