internal import PosixSupport

extension OpenFile {
    /// Up to `count` bytes from `offset`, with this module's error.
    func movieBytes(at offset: Int64, count: Int) throws(MovieError) -> [UInt8] {
        do throws(PosixError) {
            return try read(at: offset, count: count)
        } catch {
            throw MovieError(error)
        }
    }

    /// The file's length, with this module's error.
    func movieByteCount() throws(MovieError) -> Int64 {
        do throws(PosixError) {
            return try byteCount()
        } catch {
            throw MovieError(error)
        }
    }
}
