internal import CaptureModel
internal import NIOCore

/// Tells every page of this gateway who else has a page of it open. Other gateways of the rig know nothing of it.
actor Presence {
    /// Changes within this time are told together, so that many pages that come at once cost little.
    static let interval = Duration.milliseconds(250)

    private let time: any TimeSource
    private var people = PresentPeople()
    private var readers: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
    private var lastReader = 0
    private var isTelling = false

    init(time: any TimeSource) {
        self.time = time
    }

    /// Notes that somebody has opened a page.
    /// - Returns: Who is present as text messages, of which a slow page gets only the newest. The page is open as long as the stream is
    ///   read.
    func enter(_ visitor: PresentPeople.Visitor) -> AsyncStream<ByteBuffer> {
        let (news, told) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(1))
        lastReader += 1
        let reader = lastReader
        readers[reader] = told
        people.enter(visitor)
        told.onTermination = { _ in Task { await self.leave(visitor, reader) } }
        changed()
        return news
    }

    private func leave(_ visitor: PresentPeople.Visitor, _ reader: Int) {
        readers[reader] = nil
        people.leave(visitor)
        changed()
    }

    private func changed() {
        guard !isTelling else { return }
        isTelling = true
        // Unstructured, since no caller waits. One at a time, and it ends within the interval.
        Task {
            try? await time.sleep(for: Self.interval)
            tell()
        }
    }

    private func tell() {
        isTelling = false
        guard let text = LiveMessage.present(people.document).text else { return }
        for reader in readers.values { reader.yield(text) }
    }
}
