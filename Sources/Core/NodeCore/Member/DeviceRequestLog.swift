import CaptureModel
import ControlMessages

/// The coordinator's requests about devices, by number, so that each is carried out once even if it is repeated.
///
/// | a request arrives | answer |
/// |---|---|
/// | for the first time | carried out if fewer than ``underWayLimit`` are in progress; otherwise refused |
/// | again, while it is carried out | none; the answer to the first one follows |
/// | again, afterwards | the same answer, while it is among the last ``answerLimit`` |
///
/// Each epoch of the coordinator has separate numbers. The first request of another epoch removes all earlier requests.
/// Requests of the previous epoch that are in progress are not answered.
struct DeviceRequestLog: Sendable {
    /// Number of requests carried out at a time.
    static let underWayLimit = 32
    /// Number of answers kept for repeats.
    static let answerLimit = 64

    /// What to do with a request.
    enum Verdict: Sendable {
        case carryOut
        case ignore
        case answer(DeviceAnswer)
    }

    private var epoch: Epoch?
    private var underWay: Set<UInt64> = []
    private var answers: [UInt64: DeviceAnswer] = [:]
    private var order: [UInt64] = []

    init() {}

    private init(epoch: Epoch) {
        self.epoch = epoch
    }

    mutating func accept(_ number: UInt64, from coordinator: Epoch) -> Verdict {
        if epoch != coordinator { self = DeviceRequestLog(epoch: coordinator) }
        if let answer = answers[number] { return .answer(answer) }
        if underWay.contains(number) { return .ignore }
        guard underWay.count < Self.underWayLimit else {
            let problem = RigProblem(
                .noMemory, "\(Self.underWayLimit) requests about devices are under way on this node; try again later")
            return .answer(DeviceAnswer(number: number, outcome: .failure(problem)))
        }
        underWay.insert(number)
        return .carryOut
    }

    /// Notes the answer to a request that was carried out.
    /// - Returns: false if the coordinator that sent the request has gone, so that nobody is to be answered.
    mutating func finish(_ answer: DeviceAnswer, from coordinator: Epoch) -> Bool {
        guard epoch == coordinator, underWay.remove(answer.number) != nil else { return false }
        answers[answer.number] = answer
        order.append(answer.number)
        if order.count > Self.answerLimit { answers[order.removeFirst()] = nil }
        return true
    }
}
