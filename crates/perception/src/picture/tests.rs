mod compressed;
mod keyframes;
mod look;
mod raw;
mod scene;
mod square;
mod thumbnail;
