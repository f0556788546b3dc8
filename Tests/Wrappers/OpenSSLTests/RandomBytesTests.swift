import OpenSSL
import Testing

@Suite struct RandomBytesTests {
    @Test func `As many bytes as wanted, and others each time`() throws {
        let (bytes, others) = (try RandomBytes.make(count: 32), try RandomBytes.make(count: 32))
        #expect(bytes.count == 32 && others.count == 32 && bytes != others)
        #expect(try RandomBytes.make(count: 0).isEmpty)
    }

    @Test func `A negative number is refused`() {
        #expect(throws: OpenSSLError.self) { try RandomBytes.make(count: -1) }
    }
}
