internal import CaptureModel
internal import RigClient
internal import RigSecurity

/// A shot, or the beginning or end of a take, that the gateway has requested for somebody. It goes on whether or not the request that began it
/// waits.
struct TriggerRun: Sendable {
    /// Ends with the answer, or without one if it failed after the coordinator had accepted it.
    private let answers: AsyncStream<LocatedShot>

    /// What becomes of a request before its answer.
    private enum Beginning {
        case accepted
        case refused(any Error)
    }

    /// Makes a request, and returns once the coordinator has accepted it or the answer is there. One task may wait for the answer.
    /// - Parameter wait: What the answer is about. Whoever may not read shots gets the coordinator's own answer, in the end.
    /// - Throws: Why it was refused.
    static func begin(
        _ session: SessionSecret?, _ rig: GatewayRig, until wait: TriggerWait = .all,
        _ request: @escaping @Sendable (RigClient) -> AsyncThrowingStream<TriggerUpdate, any Error>
    ) async throws -> TriggerRun {
        let (beginnings, beginning) = AsyncStream.makeStream(of: Beginning.self, bufferingPolicy: .bufferingOldest(1))
        let (answers, answer) = AsyncStream.makeStream(of: LocatedShot.self, bufferingPolicy: .bufferingNewest(1))
        // Unstructured: a browser that goes away does not end a shot, and those that stay see its progress.
        Task {
            do {
                try await rig.with(session) { client in
                    for try await update in request(client) {
                        switch update {
                        case .progress(let progress):
                            beginning.yield(.accepted)
                            await rig.watch.tell(.progress(ShotProgressDocument(progress)))
                            if wait.isOver(at: progress), let shot = try? await client.shot(progress.shot) {
                                answer.yield(shot)
                            }
                        case .repeated: break
                        case .answered(let shot):
                            answer.yield(shot)
                            beginning.yield(.accepted)
                        }
                    }
                }
            } catch {
                // Once it was accepted, this is not a refusal: the rig goes on, and its result is asked for.
                beginning.yield(.refused(error))
            }
            beginning.finish()
            answer.finish()
        }
        for await beginning in beginnings {
            if case .refused(let error) = beginning { throw error }
            return TriggerRun(answers: answers)
        }
        throw CancellationError()
    }

    /// The coordinator's answer; nil if it does not come in time, or is not known.
    func answer(within limit: Duration, _ time: any TimeSource) async -> LocatedShot? {
        await withTaskGroup(of: LocatedShot?.self) { group in
            group.addTask {
                for await shot in answers { return shot }
                return nil
            }
            group.addTask {
                try? await time.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
