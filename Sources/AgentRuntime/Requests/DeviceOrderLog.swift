import CaptureModel
import RigProtocol
import RigWire

/// The coordinator's requests about devices by number, so that each is carried out once, however often it comes.
///
/// | a request comes | answer |
/// |---|---|
/// | for the first time | carried out, where fewer than ``underWayLimit`` are under way; else refused |
/// | again, while it is carried out | none; the first one's answer comes |
/// | again, afterwards | the same answer, while it is among the last ``answerLimit`` |
///
/// The numbers of another epoch of the coordinator are others: with its first one, everything before is forgotten, and
/// what was under way has nobody left to answer to.
struct DeviceOrderLog: Sendable {
    /// Requests carried out at a time.
    static let underWayLimit = 32
    /// Answers kept for repeats.
    static let answerLimit = 64

    /// What to do with a request.
    enum Verdict: Sendable {
        case carryOut
        case ignore
        case answer(WireDeviceAnswer)
    }

    private var epoch: Epoch?
    private var underWay: Set<UInt64> = []
    private var answers: [UInt64: WireDeviceAnswer] = [:]
    private var order: [UInt64] = []

    init() {}

    private init(epoch: Epoch) {
        self.epoch = epoch
    }

    mutating func take(_ number: UInt64, from coordinator: Epoch) -> Verdict {
        if epoch != coordinator { self = DeviceOrderLog(epoch: coordinator) }
        if let answer = answers[number] { return .answer(answer) }
        if underWay.contains(number) { return .ignore }
        guard underWay.count < Self.underWayLimit else {
            let problem = CaptureProblem(
                .noMemory, "\(Self.underWayLimit) requests about devices are under way on this node; ask again")
            return .answer(WireDeviceAnswer(number, .failure(problem)))
        }
        underWay.insert(number)
        return .carryOut
    }

    /// Notes the answer to a request that was carried out.
    /// - Returns: false when the coordinator that asked has gone; then nobody is to be answered.
    mutating func finish(_ answer: WireDeviceAnswer, from coordinator: Epoch) -> Bool {
        guard epoch == coordinator, underWay.remove(answer.requestID) != nil else { return false }
        answers[answer.requestID] = answer
        order.append(answer.requestID)
        if order.count > Self.answerLimit { answers[order.removeFirst()] = nil }
        return true
    }
}

extension WireDeviceAnswer {
    init(_ number: UInt64, _ outcome: Result<WireDeviceReply, CaptureProblem>) {
        self.init()
        requestID = number
        switch outcome {
        case .success(let reply): self.reply = reply
        case .failure(let problem): self.problem = problem.wire
        }
    }
}
