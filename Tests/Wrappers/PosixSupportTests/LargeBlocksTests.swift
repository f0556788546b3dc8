import Glibc
import PosixSupport
import Testing

@Suite struct LargeBlocksTests {
    /// In a process of its own, whose heap has no room for such blocks beforehand.
    @Test("A daemon keeps the memory of the largest message that it has ever been sent")
    func largeBlocksAreMapped() async {
        await #expect(processExitsWith: .success) {
            LargeBlocks.returnToSystem()
            // The first of them is what teaches glibc to keep those that follow.
            for _ in 0..<3 {
                let block = unsafe malloc(4 << 20)
                // A block that was mapped by itself begins right behind the header at the beginning of its pages.
                #expect(UInt(bitPattern: block) % 4096 == 16)
                unsafe free(block)
            }
        }
    }
}
