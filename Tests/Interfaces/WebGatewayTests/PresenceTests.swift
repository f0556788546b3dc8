import CaptureTestSupport
import FoundationEssentials
import NIOCore
import Testing

@testable import WebGateway

@Suite(.timeLimit(.minutes(10))) struct PresenceTests {
    private typealias Visitor = PresentPeople.Visitor

    private let wall = Visitor(principal: "anna", label: "wall")
    private let phone = Visitor(principal: "anna", label: "phone")
    private let ben = Visitor(principal: "ben", label: "ben")

    @Test func `Each person is listed once, with pages and labels, until the last page is closed`() {
        var people = PresentPeople()
        for visitor in [wall, ben, phone, wall] { people.enter(visitor) }
        #expect(
            people.document.people == [
                .init(labels: ["phone", "wall"], pages: 3, principal: "anna"),
                .init(labels: ["ben"], pages: 1, principal: "ben"),
            ])
        people.leave(wall)
        people.leave(ben)
        #expect(people.document.people == [.init(labels: ["phone", "wall"], pages: 2, principal: "anna")])
        for visitor in [wall, phone, phone] { people.leave(visitor) }
        #expect(people == PresentPeople(), "also if more leave than have come")
    }

    @Test func `At most 64 people with 8 labels each are listed, and the others counted`() {
        var people = PresentPeople()
        for number in 100..<200 {
            for label in 0..<10 { people.enter(Visitor(principal: "p\(number)", label: "\(label)")) }
        }
        let document = people.document
        #expect(document.people.count == 64 && document.more == 36)
        #expect(document.people.first?.principal == "p100" && document.people.last?.principal == "p163")
        #expect(document.people.allSatisfy { $0.labels.count == 8 && $0.pages == 10 })
    }

    private func names(_ text: ByteBuffer?) throws -> [String] {
        struct Message: Decodable {
            struct Person: Decodable { var principal: String }

            var type: String
            var people: [Person]
        }
        let message = try JSONDecoder().decode(Message.self, from: Data(try #require(text).readableBytesView))
        #expect(message.type == "present")
        return message.people.map(\.principal)
    }

    @Test func `Pages are told who has come and gone, many changes at once`() async throws {
        let clock = ManualTimeSource()
        let presence = Presence(time: clock)
        var first = await presence.enter(wall).makeAsyncIterator()
        let second = Task { [ben] in
            var news = await presence.enter(ben).makeAsyncIterator()
            return await news.next()
        }
        await clock.sleepers(atLeast: 1)
        // Ben has come as well before the interval ends, or is told of with the next one; his page is closed once it has heard.
        var told: [String] = []
        while told != ["anna", "ben"] {
            await clock.step()
            told = try names(await first.next())
        }
        #expect(try names(await second.value) == ["anna", "ben"])
        await clock.step()
        #expect(try names(await first.next()) == ["anna"])
    }
}
