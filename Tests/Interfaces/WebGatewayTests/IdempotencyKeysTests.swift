import CaptureModel
import CaptureTestSupport
import RigTestSupport
import Testing

@testable import WebGateway

@Suite struct IdempotencyKeysTests {
    private var keys = IdempotencyKeys<Int>()
    private let content = Samples.digest([1])
    private var second = LocalTime(nanoseconds: 0)

    private func key(_ text: String, of requester: UInt8 = 1) -> IdempotencyKeys<Int>.Key {
        IdempotencyKeys<Int>.Key(requester: Samples.digest([requester]), text: text)
    }

    /// The decision in a word.
    private mutating func begin(_ key: IdempotencyKeys<Int>.Key, _ content: ContentDigest? = nil) -> String {
        switch keys.begin(key, content ?? self.content, at: second) {
        case .new: "new"
        case .underWay: "under way"
        case .answered(let answer): "answered \(answer)"
        case .other: "other"
        case .tooMany: "too many"
        }
    }

    @Test mutating func `A request is carried out once and answered alike`() {
        #expect(begin(key("a")) == "new")
        #expect(begin(key("a")) == "under way")
        keys.end(key("a"), with: 7, at: second)
        #expect(begin(key("a")) == "answered 7")
        #expect(begin(key("a", of: 2)) == "new", "keys belong to a requester")
    }

    @Test mutating func `Another request with the key is refused, before and after the answer`() {
        _ = begin(key("a"))
        #expect(begin(key("a"), Samples.digest([2])) == "other")
        keys.end(key("a"), with: 7, at: second)
        #expect(begin(key("a"), Samples.digest([2])) == "other")
    }

    @Test mutating func `A request without a final answer may be repeated`() {
        _ = begin(key("a"))
        keys.end(key("a"), with: nil, at: second)
        #expect(begin(key("a")) == "new")
    }

    @Test mutating func `An answer is kept for ten minutes`() {
        _ = begin(key("a"))
        keys.end(key("a"), with: 7, at: second)
        second = second + .seconds(599)
        #expect(begin(key("a")) == "answered 7")
        second = second + .seconds(1)
        #expect(begin(key("a")) == "new")
    }

    @Test mutating func `The oldest answers go first, and nobody pushes out another's`() {
        for number in 0...IdempotencyKeys<Int>.limitOfRequester {
            _ = begin(key("\(number)"))
            keys.end(key("\(number)"), with: number, at: second)
        }
        _ = begin(key("other", of: 2))
        keys.end(key("other", of: 2), with: 1, at: second)
        #expect(begin(key("0")) == "new")
        #expect(begin(key("1")) == "answered 1")
        #expect(begin(key("other", of: 2)) == "answered 1")
    }

    @Test mutating func `Requests under way are bounded for each requester and in all`() {
        typealias Keys = IdempotencyKeys<Int>
        for number in 0..<Keys.limitOfRequester { #expect(begin(key("\(number)")) == "new") }
        #expect(begin(key("further")) == "too many")
        for requester in 2...UInt8(Keys.limit / Keys.limitOfRequester) {
            for number in 0..<Keys.limitOfRequester { #expect(begin(key("\(number)", of: requester)) == "new") }
        }
        #expect(begin(key("further", of: 200)) == "too many")
        keys.end(key("0"), with: 0, at: second)
        #expect(begin(key("further", of: 200)) == "new")
    }
}

@Suite struct ListCursorTests {
    @Test func `A cursor is read as it was written, and nothing else is`() throws {
        let cursor = ListCursor(after: Samples.shot())
        #expect(ListCursor(cursor.text) == cursor)
        #expect(cursor.text.count == 23)
        for text in [
            "", "x", cursor.text + "A", String(cursor.text.dropLast()), "\(Samples.shot())",
            "+" + cursor.text.dropFirst(),
        ] {
            #expect(ListCursor(text) == nil, "\(text)")
        }
    }
}
