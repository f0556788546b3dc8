import CaptureModel
import Journal
import Logging

/// Events of nodes: onto the feed, and only then forgotten by their node.
extension Rig {
    /// Republishes a node's events on the feed. An event that is not valid is dropped and acknowledged with the others,
    /// since it would not be valid the next time either.
    /// - Returns: false where a batch before this one has not come, and nothing was accepted.
    func accept(_ batch: EventBatch, from node: NodeName) async -> Bool {
        guard eventCursors[node, default: EventCursor()].follows(batch) else { return false }
        let valid = batch.entries.compactMap { event(in: $0, of: node) }
        for event in valid {
            if let published = events.append(event, from: node) { links?.publish(published) }
        }
        // Without a pause since the first was published: were some lost between, those would count as told.
        acknowledgements[node, default: PendingAcknowledgements()].add(
            batch.entries.map(\.position), publishedThrough: events.lastSequence)
        for event in valid { await noteDiscard(event.event, by: node) }
        return true
    }

    private func event(in entry: EventBatch.Entry, of node: NodeName) -> NumberedEvent? {
        switch entry.event {
        case .success(let event):
            return NumberedEvent(epoch: entry.position.epoch, sequence: entry.position.sequence, event: event)
        case .failure(let problem):
            log.error(
                "an event is not valid and is dropped",
                metadata: ["node": "\(node)", "sequence": "\(entry.position.sequence)", "reason": "\(problem)"])
            return nil
        }
    }

    /// What a node is to be told of its events now. Waits for no disk.
    func dueAcknowledgements(of node: NodeName) -> [EventPosition] {
        guard let journaled = links?.journaledSequence() else { return [] }
        return acknowledgements[node]?.removeDue(journaledThrough: journaled) ?? []
    }

    /// Where events were lost on their way to the disk, and it writes again, tells so and has every node send again what it
    /// was not told to forget. Of what it sends some is on the feed already, and comes under a further number.
    func recoverLostEvents() async {
        guard let lost = links?.takeEventLoss() else { return }
        log.error(
            "events were lost before they could be written; nodes send theirs again", metadata: ["lost": "\(lost)"])
        events.forgetTaken()
        acknowledgements = [:]
        let nodes = connectedNodes.sorted()
        // Batches on their way follow one that counts no more, so they are not taken.
        for node in nodes { eventCursors[node] = EventCursor() }
        await announce(.feedEventsLost, details: ["first": "\(lost.lowerBound)", "last": "\(lost.upperBound)"])
        for node in nodes { await requireHello(of: node) }
    }
}
