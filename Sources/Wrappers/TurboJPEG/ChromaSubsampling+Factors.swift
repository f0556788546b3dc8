extension ChromaSubsampling {
    /// Luma samples a row for each chroma sample.
    public var horizontalFactor: Int {
        switch self {
        case .yuv444, .gray, .yuv440: 1
        case .yuv422, .yuv420: 2
        case .yuv411: 4
        }
    }

    /// Luma rows for each chroma row.
    public var verticalFactor: Int {
        switch self {
        case .yuv444, .gray, .yuv422, .yuv411: 1
        case .yuv420, .yuv440: 2
        }
    }
}
