import CaptureModel

/// Carries out each command once, also if its client repeats it, for commands whose repeat would have another answer: a command that ends
/// connections ends the one on which its answer would have arrived, a second invitation would withdraw the code of the first, and a
/// condition no longer holds once the command that it belongs to was carried out.
///
/// | a command with the number of | effect |
/// |---|---|
/// | none of the newest ``limit`` of its requester | carried out |
/// | an equal command that is being carried out | waits for its answer |
/// | an equal command that was carried out | the same answer, or the same refusal |
/// | another command | refused: `conflict` |
///
/// A command without a number is carried out.
actor CommandRepeats<Command: Hashable & Sendable> {
    static var limit: Int { 64 }

    private struct Number: Hashable {
        var principal: Principal
        var value: UInt64
    }

    private var commands: [Number: (command: Command, answer: Task<RigAnswer, any Error>)] = [:]
    /// The numbers of `commands`, oldest first.
    private var order: [Number] = []

    func once(
        _ command: Command, by requester: Requester, carryOut: @escaping @Sendable () async throws -> RigAnswer
    ) async throws -> RigAnswer {
        guard let value = requester.requestNumber else { return try await carryOut() }
        let number = Number(principal: requester.principal, value: value)
        if let first = commands[number] {
            guard first.command == command else {
                throw RigProblem(
                    .conflict, "the number of this request was used for another request; choose a random number")
            }
            return try await first.answer.value
        }
        // Unstructured, so that the command goes on for its repeat if the first request is given up. Bounded by the admission.
        let answer = Task { try await carryOut() }
        commands[number] = (command, answer)
        order.append(number)
        if order.count > Self.limit { commands[order.removeFirst()] = nil }
        return try await answer.value
    }
}
